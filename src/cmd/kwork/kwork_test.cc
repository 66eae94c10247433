// `kwork` on a small recording: from its arguments to the table or the error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// disk (CPU 0): runs of 1 and 3 ms. net (CPU 1): one run of 2 ms. TIMER (CPU 0): runs 5 ms, 7 ms after it was raised.
support::TracepointRecording interrupts_recording() {
  support::TracepointRecording recording;
  recording.event("irq:irq_handler_entry", {"irq", "name[16]"});
  recording.event("irq:irq_handler_exit", {"irq", "ret"});
  for (const char* name : {"irq:softirq_raise", "irq:softirq_entry", "irq:softirq_exit"})
    recording.event(name, {"vec"}, R"("%s", __print_symbolic(REC->vec, { 1, "TIMER" }))");
  constexpr u64 kMs = 1'000'000;
  const auto run = [&](u64 from, u64 until, u64 number, const char* name, u32 cpu) {
    recording.hit("irq:irq_handler_entry", {.time = from * kMs, .cpu = cpu}, {number, name});
    recording.hit("irq:irq_handler_exit", {.time = until * kMs, .cpu = cpu}, {number, 1});
  };
  run(1, 2, 9, "disk", 0);
  run(3, 6, 9, "disk", 0);
  run(7, 9, 11, "net", 1);
  recording.hit("irq:softirq_raise", {.time = 10 * kMs}, {1});
  recording.hit("irq:softirq_entry", {.time = 17 * kMs}, {1});
  recording.hit("irq:softirq_exit", {.time = 22 * kMs}, {1});
  return recording;
}

class KworkCommand : public ::testing::Test {
 protected:
  Called work(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-i", path_});
    return called(kKwork, std::move(arguments));
  }
  // The names in the rows, in order.
  std::vector<std::string> rows(std::vector<std::string> arguments) {
    const Called call = work(std::move(arguments));
    EXPECT_EQ(call.error.message, "");
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < call.printed.size();) {
      const std::size_t end = std::min(call.printed.find('\n', begin), call.printed.size());
      const std::string line = call.printed.substr(begin, end - begin);
      begin = end + 1;
      // "  disk:9   | 0000 |      4.000 ms |": a row has a name, then a CPU.
      const std::size_t bar = line.find("| 000");
      if (bar != line.npos) names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, interrupts_recording());
};

TEST_F(KworkCommand, WorkIsSortedByItsRuntime) {
  EXPECT_THAT(rows({"report"}), ElementsAre("(s)TIMER:1", "disk:9", "net:11"));
  EXPECT_THAT(work({"report"}).printed,
              HasSubstr("  disk:9                         | 0000 |      4.000 ms |         2 |"
                        "      3.000 ms |          0.003000 s |          0.006000 s |\n"));
}

TEST_F(KworkCommand, KeysChangeTheOrder) {
  EXPECT_THAT(rows({"report", "-s", "count"}), ElementsAre("disk:9", "net:11", "(s)TIMER:1"))
      << "ties by kind, CPU and number";
  EXPECT_THAT(rows({"report", "-s", "count,max"}), ElementsAre("disk:9", "(s)TIMER:1", "net:11"));
  EXPECT_THAT(rows({"report", "-s", "max"}), ElementsAre("(s)TIMER:1", "disk:9", "net:11"));
}

TEST_F(KworkCommand, WorkIsChosenByKindNameCpuAndTime) {
  EXPECT_THAT(rows({"report", "-k", "irq"}), ElementsAre("disk:9", "net:11"));
  EXPECT_THAT(rows({"-k", "irq", "report"}), ElementsAre("disk:9", "net:11")) << "before the part's name as well";
  EXPECT_THAT(rows({"report", "-k", "softirq,irq"}), ElementsAre("(s)TIMER:1", "disk:9", "net:11"));
  EXPECT_THAT(rows({"report", "-k", "workqueue"}), IsEmpty());
  EXPECT_THAT(rows({"report", "-n", "TIMER"}), ElementsAre("(s)TIMER:1"));
  EXPECT_THAT(rows({"report", "-C", "1-3"}), ElementsAre("net:11"));
  EXPECT_THAT(rows({"report", "--time", "0.0065,0.0095"}), ElementsAre("net:11"));
}

TEST_F(KworkCommand, LatencyIsTheTimeBetweenRaisingAndRunning) {
  EXPECT_THAT(rows({"latency"}), ElementsAre("(s)TIMER:1")) << "nothing raises an interrupt";
  EXPECT_THAT(work({"latency"}).printed, HasSubstr("|      7.000 ms |         1 |      7.000 ms |"));
}

TEST_F(KworkCommand, SummariesAreBelowTheTable) {
  EXPECT_FALSE(work({"report"}).printed.contains("Total count"));
  const std::string text = work({"report", "-S"}).printed;
  EXPECT_THAT(text, HasSubstr("Total count            :         4\n"));
  EXPECT_THAT(text, HasSubstr("Total runtime   (msec) :    11.000 ("));
  EXPECT_THAT(text, HasSubstr("Total time span (msec) :    21.000\n"));
}

TEST_F(KworkCommand, TimehistShowsEachRun) {
  const std::string text = work({"timehist", "-n", "disk"}).printed;
  EXPECT_THAT(text, HasSubstr("0.001000           0.002000  [0000]  disk:9                               1.000"));
  EXPECT_THAT(text, HasSubstr("0.003000           0.006000  [0000]  disk:9                               3.000"));
  EXPECT_FALSE(text.contains("net:11"));
}

TEST_F(KworkCommand, KeysBelongToTheirTable) {
  struct Case {
    std::vector<std::string> arguments;
    const char* hint;
  };
  for (const Case& test : {Case{{"report", "-s", "avg"}, "must be one of runtime, max, count"},
                           Case{{"latency", "-s", "runtime"}, "must be one of avg, max, count"},
                           Case{{"top", "-s", "max"}, "must be one of rate, runtime, tid"}}) {
    const Called call = work(test.arguments);
    EXPECT_EQ(call.error.kind, ErrorKind::Usage);
    EXPECT_THAT(call.error.message + "\n" + call.error.hint, HasSubstr(test.hint));
  }
}

TEST_F(KworkCommand, ChoicesAreChecked) {
  for (const char* part : {"report", "latency", "timehist", "top"})
    EXPECT_EQ(misuse_of(kKwork, {part, "-i", path_, "-C", "65536"}), "-C: 65536 is too large (maximum 65535)") << part;
  for (const char* part : {"report", "latency", "timehist"})
    EXPECT_THAT(misuse_of(kKwork, {part, "-i", path_, "--kwork", "irq,nmi"}), HasSubstr("nmi")) << part;
}

TEST_F(KworkCommand, MeasuringReadsNoRecording) {
  for (const char* part : {"report", "latency", "top"}) {
    EXPECT_EQ(misuse_of(kKwork, {part, "-b", "-i", path_}),
              "-b cannot be combined with -i: it does not read a recording");
    EXPECT_EQ(misuse_of(kKwork, {part, "-b", "-D"}), "-b cannot be combined with -D: it does not read a recording");
    EXPECT_EQ(misuse_of(kKwork, {part, "-b", "--time", "1,2"}),
              "-b cannot be combined with --time: it does not read a recording");
    const Called command = called(kKwork, {part, "-i", path_, "true"});
    EXPECT_EQ(command.error.message, "unexpected argument 'true'") << part;
    EXPECT_EQ(command.error.hint, "to measure while a command runs, use -b");
  }
}

TEST_F(KworkCommand, OtherRecordingsHaveNoWork) {
  support::TracepointRecording other;
  other.event("lock:contention_begin", {"lock_addr", "flags"});
  other.hit("lock:contention_begin", {.time = 5}, {1, 1});
  recorded_in(folder_, other);
  const Called call = work({"report"});
  EXPECT_THAT(call.error.message + call.said,
              HasSubstr("this recording has no interrupt, softirq or workqueue events"));
  EXPECT_THAT(call.error.hint + call.said, HasSubstr("record with `perf kwork record`"));
}

TEST(KworkRecord, KindsAreCheckedBeforeRecordingStarts) {
  const Called none = called(kKwork, {"record", "--kwork", "nmi"});
  EXPECT_EQ(none.error.kind, ErrorKind::Usage);
  EXPECT_THAT(none.error.message + none.error.hint, HasSubstr("nmi"));
}

}  // namespace
}  // namespace peregrine::cmd
