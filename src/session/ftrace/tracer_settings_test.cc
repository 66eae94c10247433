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

TEST_F(TracerSettings, EventsAloneNeedNoTracer) {
  request_.events = {"sched:sched_switch"};
  EXPECT_EQ(plan()->tracer, "nop");
  EXPECT_FALSE(plan()->traces_functions());
  request_.functions = {"vfs_read"};
  EXPECT_EQ(plan()->tracer, "function");
  request_.functions.clear();
  request_.graph_functions = {"vfs_read"};
  EXPECT_EQ(plan()->tracer, "function_graph") << "events among the calls";
}

TEST_F(TracerSettings, AFilterBelongsToTheEventsBeforeIt) {
  request_.events = {"sched:sched_switch", "sched:sched_swit*"};
  request_.filters = {{.events = 0, .text = "prev_pid == 1"}};
  const auto made = plan();
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->filters.size(), 1u);
  EXPECT_EQ(made->filters[0].event, "sched/sched_switch");
  EXPECT_EQ(made->filters[0].text, "prev_pid == 1");
  request_.filters = {{.events = 0, .text = "prev_comm == cat"}};
  EXPECT_EQ(plan()->filters[0].text, "prev_comm == \"cat\"");
  request_.filters = {{.events = 0, .text = "nosuch == 1"}};
  EXPECT_NE(error().find("nosuch"), std::string::npos) << error();
}

TEST_F(TracerSettings, TriggersNameTheirEvent) {
  request_.triggers = {"sched:sched_switch:traceoff if prev_pid == 1"};
  ASSERT_TRUE(plan()) << error();
  EXPECT_EQ(plan()->triggers.at(0).event, "sched/sched_switch");
  EXPECT_EQ(plan()->triggers.at(0).text, "traceoff if prev_pid == 1");
  for (const char* word : {"sched:sched_switch", "sched:sched_switch:", "traceoff"}) {
    request_.triggers = {word};
    EXPECT_EQ(error(), std::string("--trigger: '") + word + "' must be SYSTEM:EVENT:TRIGGER");
  }
  request_.triggers = {"sched:nothing:traceoff"};
  EXPECT_EQ(error(), "--trigger: tracepoint 'sched:nothing' not found");
}

// They would stay in the top-level tracer if this program were killed.
TEST_F(TracerSettings, TriggersNeedAnInstance) {
  request_.triggers = {"sched:sched_switch:traceoff"};
  request_.tracer = "blk";
  EXPECT_EQ(error(), "--filter and --trigger cannot be combined with the tracer 'blk'");
}

}  // namespace
}  // namespace peregrine
