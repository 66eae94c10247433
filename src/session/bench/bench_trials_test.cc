#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/bpf/uprobe_trial.h"
#include "event/source.h"
#include "output/sink.h"
#include "session/bench/breakpoint_trials.h"
#include "session/bench/epoll_trials.h"
#include "session/bench/futex_trials.h"
#include "session/bench/memory_trials.h"
#include "session/bench/numa_trial.h"
#include "session/bench/opening_trial.h"
#include "session/bench/sched_trials.h"
#include "session/bench/synthesis_trials.h"
#include "session/bench/trial_text.h"
#include "session/bench/uprobe_trials.h"
#include "sys/root.h"
#include "trial/memory_copy.h"
#include "trial/ping_pong.h"

namespace peregrine {
namespace {

TEST(BenchTrials, RejectRequestsWithoutWork) {
  Sink out;
  const auto rejected = [&](const Result<>& done) { return !done && done.error().kind == ErrorKind::Usage; };
  EXPECT_TRUE(rejected(run_breakpoint_inheritance({.threads = 0}, out)));
  EXPECT_TRUE(rejected(run_breakpoint_inheritance({.parallel = 0}, out)));
  EXPECT_TRUE(rejected(run_breakpoint_inheritance({.breakpoints = 65}, out)));
  EXPECT_TRUE(rejected(run_uprobe_baseline({.loops = 0}, out)));
  EXPECT_TRUE(rejected(run_uprobe(UprobeWork::Empty, {.loops = 0}, out)));
  EXPECT_TRUE(rejected(run_futex_lookups({.threads = 1, .words = 0}, out)));
  EXPECT_TRUE(rejected(run_futex_parallel_wakes({.threads = 4, .wakers = 3}, out)));
  EXPECT_TRUE(rejected(run_epoll_waiting({.plan = {.timed = {.threads = 1}, .files = 0}}, out)));
  EXPECT_TRUE(rejected(run_numa({.plan = {.processes = 0}}, out)));
  EXPECT_TRUE(rejected(run_memory_trial(MemoryWork::Copy, {.size = "12x"}, out)));
  EXPECT_EQ(out.text(), "");
}

TEST(BenchTrials, WriteTimesAndRates) {
  Sink out;
  write_total_time(out, 0.5);
  write_operation_rate(out, 0.5, 1000);
  EXPECT_EQ(out.text(), "     Total time: 0.500 [sec]\n\n     500.000000 usecs/op\n           2000 ops/sec\n");
}

TEST(BenchTrials, GroupsAreForTwoProcesses) {
  Sink out;
  const auto three = run_pipe_trial({.groups = {"a", "b", "c"}, .loops = 1}, Root(), out);
  ASSERT_FALSE(three);
  EXPECT_EQ(three.error().message, "-G takes at most two control groups");
  const auto threads = run_pipe_trial({.threads = true, .groups = {"a"}, .loops = 1}, Root(), out);
  ASSERT_FALSE(threads);
  EXPECT_EQ(threads.error().message, "-G cannot be combined with --threaded");
}

TEST(BenchTrials, PrintOnlyANumberIfSimple) {
  Sink out;
  run_call_trial(CheapCall::GetPpid, {.simple = true, .loops = 10}, out);
  const std::string number = out.take();
  EXPECT_EQ(number.find_first_not_of("0123456789."), number.size() - 1) << number;
  EXPECT_TRUE(number.ends_with('\n')) << number;
  run_call_trial(CheapCall::GetPgid, {.loops = 10}, out);
  EXPECT_TRUE(out.take().starts_with("# Executed 10 getpgid() calls\n     Total time: "));
}

TEST(BenchTrials, MapOneWayOrAll) {
  Sink out;
  ASSERT_TRUE(run_mapping_trial({.size = "64KB", .function = "populate"}, out));
  EXPECT_TRUE(out.text().starts_with("# function 'populate' (mmap() with MAP_POPULATE)\n# Mapping 64KB bytes ...\n"));
  EXPECT_EQ(out.take().find("'demand'"), std::string::npos);
  ASSERT_TRUE(run_mapping_trial({.size = "64KB"}, out));
  const std::string both = out.take();
  EXPECT_LT(both.find("'demand'"), both.find("'populate'"));
  EXPECT_NE(both.find("'populate'"), std::string::npos);
}

TEST(BenchTrials, NumaShowsALinePerTask) {
  Sink out;
  NumaTrialRequest request{.show_details = true, .quiet = true, .plan = {.processes = 1, .threads = 2, .thread = 4096}};
  request.plan.loops = 2;
  ASSERT_TRUE(run_numa(request, out));
  const std::string text = out.take();
  EXPECT_TRUE(text.starts_with("\n # Running main\n")) << text;
  EXPECT_NE(text.find(" # process  0 thread   1: node "), std::string::npos) << text;
  EXPECT_NE(text.find(", 2 rounds, "), std::string::npos) << text;
}

TEST(BenchTrials, SynthesizeThisProcessByDefault) {
  Sink out;
  ASSERT_TRUE(run_synthesis({.single_rounds = 1}, out));
  const std::string text = out.take();
  EXPECT_NE(text.find("\n  Average data synthesis took: "), std::string::npos) << text;
  EXPECT_EQ(text.find("multi threaded"), std::string::npos) << text;
}

TEST(BenchTrials, OpenCopiesOfTheEvents) {
  Sink out;
  EventSources sources;
  const auto done = run_event_opening({.rounds = 2, .copies = 3}, sources, out);
  if (!done) GTEST_SKIP() << "perf events are not allowed here: " << done.error().message;
  EXPECT_NE(out.text().find("  Number of events:\t3 ("), std::string_view::npos) << out.text();
  EXPECT_NE(out.text().find("  Number of iterations:\t2\n"), std::string_view::npos) << out.text();
}

}  // namespace
}  // namespace peregrine
