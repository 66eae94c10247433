#include "pipeline/recording/sample_coverage.h"

#include <gtest/gtest.h>

#include "abi/attr.h"

namespace peregrine {
namespace {

EventList cpu_clock(u64 frequency) {
  EventSpec spec;
  spec.attr.type = static_cast<u32>(abi::EventType::Software);
  spec.attr.config = static_cast<u64>(abi::SoftwareEvent::CpuClock);
  spec.attr.flags = abi::attr_flag::Freq | abi::attr_flag::Inherit | abi::attr_flag::EnableOnExec;
  spec.attr.sample_period = frequency;
  return {spec};
}

RecordingSummary ended_after(u64 samples, long user_seconds, long system_seconds) {
  RecordingSummary summary;
  summary.samples = samples;
  summary.exit.emplace();
  summary.exit->usage.ru_utime.tv_sec = user_seconds;
  summary.exit->usage.ru_stime.tv_sec = system_seconds;
  return summary;
}

TEST(SampleCoverage, ComparesSamplesWithTheTimeThatTheWorkloadUsed) {
  const auto coverage = sample_coverage(cpu_clock(1000), ended_after(6, 6, 3));
  ASSERT_TRUE(coverage);
  EXPECT_EQ(coverage->sampled_ns, 6'000'000u);
  EXPECT_EQ(coverage->used_ns, 9'000'000'000u);
  EXPECT_EQ(coverage->period_ns, 1'000'000u);
  EXPECT_LT(coverage->share(), 0.001);
  EXPECT_DOUBLE_EQ(sample_coverage(cpu_clock(1000), ended_after(9000, 6, 3))->share(), 1);
}

TEST(SampleCoverage, SaysNothingOfEventsThatMayMissTimeForOtherReasons) {
  const RecordingSummary summary = ended_after(6, 6, 3);
  const auto told = [&](auto change) {
    EventList events = cpu_clock(1000);
    change(events);
    return sample_coverage(events, summary).has_value();
  };
  EXPECT_TRUE(told([](EventList&) {}));
  EXPECT_FALSE(told([](EventList& e) { e[0].attr.set(abi::attr_flag::ExcludeKernel); }));
  EXPECT_FALSE(told([](EventList& e) { e[0].attr.set(abi::attr_flag::Inherit, false); }));
  EXPECT_FALSE(told([](EventList& e) { e[0].attr.set(abi::attr_flag::EnableOnExec, false); }));
  EXPECT_FALSE(told([](EventList& e) { e[0].attr.config = static_cast<u64>(abi::SoftwareEvent::PageFaults); }));
  EXPECT_FALSE(told([](EventList& e) { e[0].filter = "ip > 0"; }));
  EXPECT_FALSE(told([](EventList& e) { e.push_back(e[0]); }));
  EXPECT_FALSE(told([](EventList& e) { e.clear(); }));
}

TEST(SampleCoverage, SaysNothingOfRecordingsThatWereShortOrCutOrLostSomething) {
  EXPECT_FALSE(sample_coverage(cpu_clock(100), ended_after(0, 1, 0)));
  RecordingSummary summary = ended_after(6, 6, 3);
  summary.stopped_by = 2;
  EXPECT_FALSE(sample_coverage(cpu_clock(1000), summary));
  summary = ended_after(6, 6, 3);
  summary.losses.push_back({.cpu = 0, .lost_records = 1});
  EXPECT_FALSE(sample_coverage(cpu_clock(1000), summary));
  summary = ended_after(6, 6, 3);
  summary.exit.reset();
  EXPECT_FALSE(sample_coverage(cpu_clock(1000), summary));
}

}  // namespace
}  // namespace peregrine
