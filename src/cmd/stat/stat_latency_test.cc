#include "cmd/stat/stat_latency.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cmd/stat/stat_options.h"
#include "event/syntax/parse.h"

namespace peregrine::cmd {
namespace {

// The message about the latencies of these events on this processor (PERF_CPUID), after "yes: " when they are sampled.
std::string latency_choice(const std::string& words, const std::string& cpuid, bool record) {
  StatRequest request;
  request.sources = EventSources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  request.sources.cpuid = cpuid;
  request.record_latencies = record;
  EventList events;
  EXPECT_TRUE(parse_events(words, request.sources, events));
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  Messages messages("perf", ends[1]);
  const bool sampled = samples_latencies(request, events, messages);
  ::close(ends[1]);
  char text[1000];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  return (sampled ? "yes: " : "no: ") + std::string(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

constexpr const char* kGraniteRapids = "GenuineIntel-6-AD-1";

TEST(StatLatency, IsSampledWhereItIsRequested) {
  EXPECT_EQ(latency_choice("cycles,cache-misses:R", kGraniteRapids, true), "yes: ");
  EXPECT_EQ(latency_choice("cycles", kGraniteRapids, false), "no: ");
}

TEST(StatLatency, SaysWhatCountsAsZero) {
  EXPECT_EQ(latency_choice("cycles,cache-misses:R,cache-misses:R,branches:R", kGraniteRapids, false),
            "no: perf: no retire latency is sampled, so these count as 0: cache-misses:R, branches:R\n"
            "hint: --record-tpebs samples them\n");
  EXPECT_EQ(latency_choice("cycles", kGraniteRapids, true),
            "no: perf: warning: --record-tpebs has no effect: no event has the modifier R\n");
}

TEST(StatLatency, OnlyIntelMeasuresIt) {
  EXPECT_EQ(latency_choice("cache-misses:R", "AuthenticAMD-25-1-1", true),
            "no: perf: warning: retire latencies cannot be sampled: this is not an Intel processor\n"
            "hint: Intel processors measure them from Granite Rapids on\n"
            "perf: no retire latency is sampled, so these count as 0: cache-misses:R\n");
}

}  // namespace
}  // namespace peregrine::cmd
