// The subcommands of sched, with recordings built here and with wrong command lines.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/types.h"
#include "cli/frame/command.h"
#include "cmd/sched/sched_parts.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using support::TracepointRecording;

constexpr u64 kMillisecond = 1'000'000;

// On CPU 0, `worker` (20) wakes `reader` (10) at 1 ms; it runs from 3 ms to 7 ms, after waiting for 2 ms.
class SchedCommand : public ::testing::Test {
 protected:
  static TracepointRecording recording() {
    TracepointRecording made;
    made.event("sched:sched_switch",
               {"prev_comm[16]", "prev_pid", "prev_prio", "prev_state", "next_comm[16]", "next_pid", "next_prio"});
    made.event("sched:sched_wakeup", {"comm[16]", "pid", "prio", "target_cpu"});
    made.event("sched:sched_stat_runtime", {"comm[16]", "pid", "runtime"});
    made.comm(10, "reader");
    made.comm(20, "worker");
    made.hit("sched:sched_wakeup", {.time = kMillisecond, .pid = 20, .tid = 20}, {"reader", 10, 120, 0});
    made.hit("sched:sched_switch", {.time = 3 * kMillisecond, .pid = 20, .tid = 20},
             {"worker", 20, 120, 1, "reader", 10, 120});
    made.hit("sched:sched_stat_runtime", {.time = 7 * kMillisecond, .pid = 10, .tid = 10},
             {"reader", 10, 4 * kMillisecond});
    made.hit("sched:sched_switch", {.time = 7 * kMillisecond, .pid = 10, .tid = 10},
             {"reader", 10, 120, 1, "worker", 20, 120});
    return made;
  }

  const TemporaryFolder folder_;
  const std::string file_ = recorded_in(folder_, recording());
};

TEST_F(SchedCommand, LatencyShowsTheWait) {
  const Called latency = called(kSchedLatency, {"-i", file_});
  EXPECT_EQ(latency.code, 0) << latency.said << latency.error.message;
  const std::size_t row = latency.printed.find("reader:10");
  ASSERT_NE(row, std::string::npos) << latency.printed;
  const std::string line = latency.printed.substr(row, latency.printed.find('\n', row) - row);
  EXPECT_NE(line.find("avg:   2.000 ms | max:   2.000 ms"), std::string::npos) << line;
}

TEST_F(SchedCommand, LatencyOfAnotherCpuIsEmpty) {
  EXPECT_EQ(called(kSchedLatency, {"-i", file_, "-C", "1"}).printed.find("reader:10"), std::string::npos);
}

TEST_F(SchedCommand, TimehistShowsWhoRan) {
  const Called history = called(kSchedTimehist, {"-i", file_});
  EXPECT_EQ(history.code, 0) << history.error.message;
  EXPECT_NE(history.printed.find("reader[10]"), std::string::npos) << history.printed;
  EXPECT_EQ(called(kSchedTimehist, {"-i", file_, "-C", "1"}).printed.find("reader[10]"), std::string::npos);
}

TEST_F(SchedCommand, MapNamesTasksByLetters) {
  const Called map = called(kSchedMap, {"-i", file_});
  EXPECT_EQ(map.code, 0) << map.error.message;
  EXPECT_NE(map.printed.find("reader:10"), std::string::npos) << map.printed;
}

TEST_F(SchedCommand, ADumpReplacesTheTable) {
  const Called dump = called(kSchedLatency, {"-D", "-i", file_});
  EXPECT_NE(dump.printed.find("PERF_RECORD_SAMPLE"), std::string::npos);
  EXPECT_EQ(dump.printed.find("avg:"), std::string::npos);
}

TEST(SchedCommandLine, ValuesAreCheckedBeforeTheRecording) {
  struct Case {
    const Command& part;
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& test : {
           Case{kSchedLatency, {"--hist-mode", "square"}, "invalid --hist-mode 'square': must be log or linear"},
           Case{kSchedLatency, {"-C", "x"}, "switch `C' expects a numerical value"},
       })
    EXPECT_EQ(misuse_of(test.part, test.arguments), test.message);
  EXPECT_NE(misuse_of(kSchedMap, {"--cpus", "x"}).find("--cpus"), std::string::npos);
  EXPECT_NE(misuse_of(kSchedMap, {"--color-pids", "x"}).find("--color-pids"), std::string::npos);
  EXPECT_NE(misuse_of(kSchedLatency, {"-s", "speed"}).find("speed"), std::string::npos);
}

TEST(SchedCommandLine, MissingRecordingsNameTheRecorder) {
  for (const Command* part : {&kSchedLatency, &kSchedMap, &kSchedTimehist}) {
    const Called call = called(*part, {"-i", "/nonexistent/perf.data"});
    EXPECT_EQ(call.code, 255) << part->name;
    EXPECT_TRUE(call.said.starts_with("failed to open /nonexistent/perf.data: No such file or directory")) << call.said;
  }
}

TEST(SchedCommandLine, StatsComparesTwoRecordings) {
  EXPECT_EQ(misuse_of(kSchedStats, {"diff", "a", "b", "c"}), "expected at most two recordings, not 3");
}

}  // namespace
}  // namespace peregrine::cmd
