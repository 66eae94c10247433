#include "session/counting/plan/stat_latency.h"

#include <gtest/gtest.h>

#include <string>

#include "event/source.h"
#include "event/syntax/parse.h"
#include "support/kept_messages.h"
#include "sys/root.h"

namespace peregrine {
namespace {

// The message about the latencies of these events on this processor (PERF_CPUID), prefixed with "yes: " if they are
// sampled.
std::string latency_choice(const std::string& words, const std::string& cpuid, bool record) {
  StatRequest request;
  request.sources = EventSources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  request.sources.cpuid = cpuid;
  request.latency.is_recorded = record;
  EventList events;
  EXPECT_TRUE(parse_events(words, request.sources, events));
  testing::KeptMessages messages;
  const bool sampled = samples_latencies(request, events, messages);
  return (sampled ? "yes: " : "no: ") + messages.take();
}

constexpr const char* kGraniteRapids = "GenuineIntel-6-AD-1";

TEST(StatLatency, IsSampledWhereItIsRequested) {
  EXPECT_EQ(latency_choice("cycles,cache-misses:R", kGraniteRapids, true), "yes: ");
  EXPECT_EQ(latency_choice("cycles", kGraniteRapids, false), "no: ");
}

TEST(StatLatency, SaysWhatCountsAsZero) {
  EXPECT_EQ(latency_choice("cycles,cache-misses:R,cache-misses:R,branches:R", kGraniteRapids, false),
            "no: note: no retire latency is sampled, so these count as 0: cache-misses:R, branches:R\n"
            "hint: --record-tpebs samples them\n");
  EXPECT_EQ(latency_choice("cycles", kGraniteRapids, true),
            "no: warning: --record-tpebs has no effect: no event has the modifier R\n");
}

TEST(StatLatency, OnlyIntelMeasuresIt) {
  EXPECT_EQ(latency_choice("cache-misses:R", "AuthenticAMD-25-1-1", true),
            "no: warning: retire latencies cannot be sampled: this is not an Intel processor\n"
            "hint: requires Intel Granite Rapids or later\n"
            "note: no retire latency is sampled, so these count as 0: cache-misses:R\n");
}

}  // namespace
}  // namespace peregrine
