#include "session/record/recording_plan.h"

#include <gtest/gtest.h>

#include <optional>

#include "abi/attr.h"
#include "event/config/callgraph.h"
#include "event/syntax/parse.h"
#include "pipeline/recording/place/output_switch.h"
#include "support/kept_messages.h"
#include "support/server_sources.h"

namespace peregrine {
namespace {

class RecordingPlanning : public ::testing::Test {
 protected:
  // The message of the error, or "planned".
  std::string planned(std::string_view words) {
    plan_.emplace(request_, sources_.root(), heard_);
    EventList events;
    if (auto done = words.empty() ? Result<>() : parse_events(words, sources_, events); !done)
      return done.error().message;
    if (auto done = plan_->find_target(); !done) return done.error().message;
    if (auto done = plan_->configure(sources_, std::move(events)); !done) return done.error().message;
    if (auto done = plan_->check(); !done) return done.error().message;
    return "planned";
  }

  EventSources sources_ = support::server_sources();
  testing::KeptMessages heard_;
  RecordRequest request_;
  std::optional<RecordingPlan> plan_;
};

TEST_F(RecordingPlanning, SamplesTheWholeMachineIfNobodyIsNamed) {
  ASSERT_EQ(planned("cpu-clock"), "planned");
  EXPECT_EQ(plan_->target().kind, TargetKind::Cpus);
  ASSERT_EQ(plan_->events().size(), 2u);
  EXPECT_EQ(plan_->events()[0].name, "cpu-clock");
  EXPECT_TRUE(plan_->events()[1].is_dummy());
  EXPECT_EQ(heard_.take(), "");
}

TEST_F(RecordingPlanning, SamplesTheWorkloadFromItsExec) {
  request_.recording.run.command = {"true"};
  ASSERT_EQ(planned("cpu-clock"), "planned");
  EXPECT_EQ(plan_->target().kind, TargetKind::Workload);
  ASSERT_EQ(plan_->events().size(), 1u);
  EXPECT_TRUE(plan_->events()[0].attr.has(abi::attr_flag::EnableOnExec));
}

TEST_F(RecordingPlanning, UsesADefaultEvent) {
  request_.recording.run.command = {"true"};
  ASSERT_EQ(planned(""), "planned");
  ASSERT_EQ(plan_->events().size(), 1u);
  EXPECT_TRUE(plan_->events()[0].attr.has(abi::attr_flag::Freq));
}

TEST_F(RecordingPlanning, WarnsWhenAStrongerTargetWins) {
  request_.recording.run.command = {"true"};
  request_.target.system_wide = request_.target.per_thread = true;
  ASSERT_EQ(planned("cpu-clock"), "planned");
  EXPECT_FALSE(plan_->target().per_thread);
  EXPECT_EQ(heard_.take(), "Warning:\nSYSTEM/CPU switch overriding PER-THREAD\n");
  EXPECT_TRUE(request_.target.per_thread);
}

TEST_F(RecordingPlanning, FollowsACommandOnWholeCpusOnly) {
  request_.recording.run.follow = true;
  EXPECT_EQ(planned("cpu-clock"), "--per-cpu requires a command to run");
  request_.recording.run.command = {"true"};
  EXPECT_EQ(planned("cpu-clock"), "planned");
  EXPECT_EQ(plan_->target().kind, TargetKind::Cpus);
  request_.recording.run.off_cpu = true;
  EXPECT_EQ(planned("cpu-clock"), "--per-cpu cannot be combined with --off-cpu");
  request_.recording.run.off_cpu = false;
  request_.target.per_thread = true;
  EXPECT_EQ(planned("cpu-clock"), "--per-cpu cannot be combined with --per-thread");
}

TEST_F(RecordingPlanning, AddsContextSwitchesForLatency) {
  request_.latency = true;
  EXPECT_EQ(planned("cpu-clock"), "--latency cannot profile whole CPUs");
  request_.recording.run.command = {"true"};
  ASSERT_EQ(planned("cpu-clock"), "planned");
  EXPECT_TRUE(plan_->events()[0].attr.has(abi::attr_flag::ContextSwitch));
}

TEST_F(RecordingPlanning, RefusesToUnwindWithoutStacks) {
  request_.recording.run.command = {"true"};
  request_.recording.run.unwind = true;
  EXPECT_EQ(planned("cpu-clock"), "--unwind=now: no event records stacks to unwind");
  request_.recording.config.callchains.callgraph.mode = CallgraphMode::Dwarf;
  EXPECT_EQ(planned("cpu-clock"), "planned");
}

TEST_F(RecordingPlanning, RefusesAuxAreaSnapshots) {
  request_.snapshot = true;
  EXPECT_EQ(planned("cpu-clock"), "No AUX area tracing to snapshot");
  request_.snapshot = false;
  request_.aux_sample = true;
  EXPECT_EQ(planned("cpu-clock"), "No AUX area event to sample");
}

TEST_F(RecordingPlanning, WarnsAboutFilesSmallerThanHalfARing) {
  request_.recording.rings.ring_bytes = 512 << 10;
  request_.recording.switching.when = SwitchCondition{.bytes = 64 << 10};
  ASSERT_EQ(planned("cpu-clock"), "planned");
  plan_->warn_about_small_files();
  EXPECT_EQ(heard_.take(),
            "WARNING: switch-output data size lower than wakeup kernel buffer size (256K) expect bigger perf.data "
            "sizes\n");
  request_.recording.switching.when->bytes = 256 << 10;
  plan_->warn_about_small_files();
  EXPECT_EQ(heard_.take(), "");
}

}  // namespace
}  // namespace peregrine
