#include "session/ftrace/tracer_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sys/root.h"

namespace peregrine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

class TracerSettings : public ::testing::Test {
 protected:
  Result<TracerPlan> plan() const { return tracer_plan(request_, target_, *tracefs_); }
  std::string error() const {
    const auto made = plan();
    return made ? "" : made.error().message;
  }

  Result<Tracefs> tracefs_ = Tracefs::find(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  FtraceRequest request_;
  Target target_{.kind = TargetKind::Cpus, .cpus = {0, 33}};
};

TEST_F(TracerSettings, FunctionsChooseTheTracer) {
  ASSERT_TRUE(tracefs_) << tracefs_.error().message;
  EXPECT_EQ(plan()->tracer, TracerPlan().tracer);
  request_.functions = {"vfs_read"};
  EXPECT_EQ(plan()->tracer, "function");
  request_.graph_functions = {"vfs_write"};
  EXPECT_EQ(plan()->tracer, TracerPlan().tracer);
  request_.tracer = "blk";
  EXPECT_EQ(plan()->tracer, "blk");
}

TEST_F(TracerSettings, OnlyRequestedCpusHaveAMask) {
  EXPECT_EQ(plan()->cpu_mask, "");
  request_.target.cpus = "0,33";
  EXPECT_EQ(plan()->cpu_mask, "2,00000001");
}

TEST_F(TracerSettings, WordsBecomeFilesAndNumbers) {
  request_.graph_options = {"nosleep-time,thresh=10", "depth=3"};
  const auto made = plan();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->options, Contains(Pair("sleep-time", false)));
  EXPECT_EQ(made->threshold_us, 10u);
  EXPECT_EQ(made->depth, 3u);
  request_.graph_options = {"depth="};
  EXPECT_EQ(error(), "--graph-opts: 'depth=' requires a number");
  request_.graph_options = {"sideways"};
  EXPECT_EQ(error(), "--graph-opts: unknown tracer option 'sideways'");
}

TEST_F(TracerSettings, BufferSizeHasAUnit) {
  request_.buffer_size = "2M";
  EXPECT_EQ(plan()->buffer_kb, 2048u);
  request_.buffer_size = "1B";
  EXPECT_EQ(plan()->buffer_kb, 1u);
  request_.buffer_size = "many";
  EXPECT_EQ(error(), "-m: invalid size 'many' (expected a number with B, K, M or G)");
}

TEST_F(TracerSettings, GlobsNameTracepoints) {
  request_.events = {"sched:sched_swit*"};
  const auto made = plan();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->events, ElementsAre("sched/sched_switch"));
  request_.events = {"sched:nothing"};
  EXPECT_EQ(error(), "-e: tracepoint 'sched:nothing' not found");
  request_.events = {"sched"};
  EXPECT_EQ(error(), "-e: 'sched' is not a tracepoint (expected system:event)");
}

TEST_F(TracerSettings, LatencyMeasuresOneFunctionWithTheGraphTracer) {
  request_.mode = FtraceMode::Latency;
  EXPECT_EQ(error(), "Should provide a function to measure");
  request_.functions = {"vfs_read"};
  EXPECT_EQ(plan()->tracer, "function_graph");
  request_.functions = {"vfs_read", "vfs_write"};
  EXPECT_EQ(error(), "Should provide a function to measure");
  request_.mode = FtraceMode::Profile;
  EXPECT_EQ(error(), "");
}

}  // namespace
}  // namespace peregrine
