// How a HitStream sets up its events; tests/live covers opening them.
#include "capture/sampling/hit_stream.h"

#include <gtest/gtest.h>
#include <time.h>

#include <optional>
#include <string>

#include "abi/attr.h"

namespace peregrine {
namespace {

// The attr of one event with these options.
abi::EventAttr hit_attr(const HitOptions& options, const PerfLimits& limits = {},
                        TargetKind kind = TargetKind::Threads) {
  EventList events(1);
  events[0].name = "event";
  std::vector<std::string> warnings;
  const Target target{.kind = kind, .cpus = {0}, .threads = {1}};
  const auto done = configure_for_record({.has_pids = kind == TargetKind::Threads}, hit_config(target, limits, options),
                                         events, warnings);
  EXPECT_TRUE(done) << done.error().message;
  return events[0].attr;
}

TEST(HitConfig, KeepsEachHitWithItsBytesAndMonotonicTime) {
  const abi::EventAttr attr = hit_attr({});
  EXPECT_FALSE(attr.has(abi::attr_flag::Freq));
  EXPECT_EQ(attr.sample_period, 1u);
  EXPECT_TRUE(attr.has(abi::attr_flag::UseClockid));
  EXPECT_EQ(attr.clockid, CLOCK_MONOTONIC);
  for (const u64 field : {abi::sample_bit::Identifier, abi::sample_bit::Raw, abi::sample_bit::Time})
    EXPECT_TRUE(attr.samples(field)) << field;
  EXPECT_FALSE(attr.samples(abi::sample_bit::Addr));
  EXPECT_FALSE(attr.samples(abi::sample_bit::Callchain));
}

TEST(HitConfig, SamplesLatenciesNowAndThen) {
  struct Case {
    std::optional<i64> limit;  // kernel.perf_event_max_sample_rate
    u64 rate;
  };
  for (const Case& each :
       {Case{std::nullopt, 4000}, Case{100'000, 4000}, Case{4000, 4000}, Case{1500, 1500}, Case{0, 1}, Case{-1, 1}}) {
    const abi::EventAttr attr = hit_attr({.latencies = true}, {.max_sample_rate = each.limit});
    EXPECT_TRUE(attr.has(abi::attr_flag::Freq));
    EXPECT_EQ(attr.sample_period, each.rate) << each.limit.value_or(0);
    EXPECT_TRUE(attr.samples(abi::sample_bit::Cpu)) << "latencies are shown by CPU";
    EXPECT_TRUE(attr.samples(abi::sample_bit::Time));
    EXPECT_FALSE(attr.samples(abi::sample_bit::Raw));
  }
}

TEST(HitConfig, FollowsChildrenAndTakesWhatIsRequested) {
  EXPECT_TRUE(hit_attr({}).has(abi::attr_flag::Inherit));
  EXPECT_FALSE(hit_attr({.children = false}).has(abi::attr_flag::Inherit));
  EXPECT_TRUE(hit_attr({.addresses = true}).samples(abi::sample_bit::Addr));
  HitOptions stacks;
  stacks.callgraph.mode = CallgraphMode::FramePointer;
  EXPECT_TRUE(hit_attr(stacks).samples(abi::sample_bit::Callchain));
}

// Hits of a workload begin with start(), unless its exec should start them.
TEST(HitConfig, StartsAtTheExecOfAWorkloadOnRequest) {
  EXPECT_FALSE(hit_attr({}, {}, TargetKind::Workload).has(abi::attr_flag::EnableOnExec));
  EXPECT_TRUE(hit_attr({.at_exec = true}, {}, TargetKind::Workload).has(abi::attr_flag::EnableOnExec));
  for (const bool at_exec : {false, true})
    EXPECT_TRUE(hit_attr({.at_exec = at_exec}, {}, TargetKind::Workload).has(abi::attr_flag::Disabled));
}

}  // namespace
}  // namespace peregrine
