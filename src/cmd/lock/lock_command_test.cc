// `lock` on a small recording: from its arguments to the table or the error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using ::testing::Not;

// Two tasks wait for a mutex, one of them also for a spinlock. In all: worker 2 ms + 4 us, other 7 ms.
support::TracepointRecording contention_recording() {
  support::TracepointRecording recording;
  recording.event("lock:contention_begin", {"lock_addr", "flags"});
  recording.event("lock:contention_end", {"lock_addr", "ret"});
  recording.comm(8, "worker");
  recording.comm(9, "other");
  const auto wait = [&](u64 from, u64 until, u32 tid, u64 lock, u64 flags) {
    recording.hit("lock:contention_begin", {.time = from, .pid = tid, .tid = tid}, {lock, flags});
    recording.hit("lock:contention_end", {.time = until, .pid = tid, .tid = tid}, {lock, 0});
  };
  constexpr u64 kSpins = 1, kMutex = 32;  // of the kernel's LCB_F_ flags
  wait(1'000'000, 3'000'000, 8, 0x1000, kMutex);
  wait(4'000'000, 11'000'000, 9, 0x1000, kMutex);
  wait(12'000'000, 12'004'000, 8, 0x2000, kSpins);
  return recording;
}

// The non-empty lines of a text, with runs of spaces collapsed.
std::vector<std::string> squeezed_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    std::string& line = lines.back();
    if (c == '\n') {
      while (line.ends_with(' ')) line.pop_back();
      if (!line.empty()) lines.emplace_back();
    } else if (c != ' ' || (!line.empty() && line.back() != ' ')) {
      line += c;
    }
  }
  lines.pop_back();
  return lines;
}

class LockCommand : public ::testing::Test {
 protected:
  Called locks(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-i", path_});
    return called(kLock, std::move(arguments));
  }
  std::vector<std::string> contention(std::vector<std::string> options) {
    options.insert(options.begin(), "contention");
    const Called call = locks(std::move(options));
    EXPECT_EQ(call.error.message, "");
    return squeezed_lines(call.printed);
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, contention_recording());
};

TEST_F(LockCommand, TasksAreSortedByTheirTotalWait) {
  EXPECT_THAT(contention({"-t"}),
              ElementsAre("contended total wait max wait avg wait pid comm", "1 7.00 ms 7.00 ms 7.00 ms 9 other",
                          "2 2.00 ms 2.00 ms 1.00 ms 8 worker"));
}

TEST_F(LockCommand, KeysChangeTheOrderAndAddTheirColumn) {
  EXPECT_THAT(contention({"-t", "-k", "contended", "-F", "wait_max"}),
              ElementsAre("max wait contended pid comm", "2.00 ms 2 8 worker", "7.00 ms 1 9 other"))
      << "the column that rows are sorted by is always there";
  EXPECT_THAT(contention({"-t", "-k", "wait_min", "-F", "wait_min,contended"}),
              ElementsAre("min wait contended pid comm", "7.00 ms 1 9 other", "4.00 us 2 8 worker"));
}

TEST_F(LockCommand, EntriesLimitTheRows) {
  EXPECT_THAT(contention({"-t", "-q", "-E", "1"}), ElementsAre("1 7.00 ms 7.00 ms 7.00 ms 9 other"));
  EXPECT_THAT(contention({"-t", "-q", "-E", "99"}), ::testing::SizeIs(2));
}

TEST_F(LockCommand, LocksAreChosenByTypeAndByAddress) {
  EXPECT_THAT(contention({"-t", "-q", "-Y", "mutex"}),
              ElementsAre("1 7.00 ms 7.00 ms 7.00 ms 9 other", "1 2.00 ms 2.00 ms 2.00 ms 8 worker"));
  EXPECT_THAT(contention({"-t", "-q", "-L", "0x2000"}), ElementsAre("1 4.00 us 4.00 us 4.00 us 8 worker"));
  EXPECT_THAT(contention({"-t", "-q", "-Y", "mutex", "-L", "0x2000"}), IsEmpty()) << "both must match";
}

TEST_F(LockCommand, ValuesForProgramsAreNanoseconds) {
  EXPECT_THAT(contention({"-t", "-x,"}),
              ElementsAre("# output: contended, total wait, max wait, avg wait, pid, comm",
                          "1, 7000000, 7000000, 7000000, 9, other", "2, 2004000, 2000000, 1002000, 8, worker"));
}

TEST_F(LockCommand, TablesGoToAFile) {
  const std::string file = folder_.path("table");
  for (const std::vector<std::string>& options : {std::vector<std::string>{"contention", "-t", "--output", file},
                                                  {"report", "--output", file},
                                                  {"info", "-t", "--output", file}}) {
    const Called call = locks(options);
    EXPECT_EQ(call.code, 0) << call.error.message;
    EXPECT_EQ(call.printed, "") << options[0];
    EXPECT_THAT(folder_.text("table"), HasSubstr(options[0] == "report" ? "Unknown" : "worker")) << options[0];
  }
}

TEST_F(LockCommand, TasksAndLocksAreListed) {
  const Called tasks = locks({"info"});
  EXPECT_THAT(squeezed_lines(tasks.printed), ElementsAre("Thread ID: comm", "8: worker", "9: other"));
  EXPECT_EQ(locks({"info", "-t"}).printed, tasks.printed) << "the default";
  const Called names = locks({"info", "-m"});
  EXPECT_THAT(names.printed, HasSubstr("0x1000: "));
  EXPECT_THAT(names.printed, HasSubstr("0x2000: "));
  EXPECT_THAT(names.printed, Not(HasSubstr("worker")));
}

TEST_F(LockCommand, RowsAreOfOneKind) {
  struct Case {
    std::vector<std::string> options;
    const char* message;
  };
  const char* const lock_or_task = "-l cannot be combined with -t or -o: a row is a lock or a task";
  const char* const cgroup = "-g cannot be combined with -t, -l or -o";
  for (const Case& test :
       {Case{{"-l", "-t"}, lock_or_task}, Case{{"-o", "-l"}, lock_or_task}, Case{{"-l", "-t", "-g"}, lock_or_task},
        Case{{"-g", "-t"}, cgroup}, Case{{"-g", "-l"}, cgroup}, Case{{"-g", "-o"}, cgroup},
        Case{{"-g", "--user-locks"}, "--user-locks cannot be combined with -g: cgroups of futex waits are unknown"}}) {
    std::vector<std::string> arguments = test.options;
    arguments.insert(arguments.begin(), "contention");
    EXPECT_EQ(misuse_of(kLock, arguments), test.message) << ::testing::PrintToString(test.options);
  }
}

TEST_F(LockCommand, UnknownColumnsAreReported) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
    const char* hint;
  };
  const char* const of_report = "must be one of acquired, contended, avg_wait, wait_total, wait_max, wait_min";
  const char* const of_waits = "must be one of contended, avg_wait, wait_total, wait_max, wait_min";
  for (const Case& test : {Case{{"report", "-k", "wait"}, "Unknown compare key: wait", of_report},
                           Case{{"report", "-F", "acquired,x"}, "Unknown output field: x", of_report},
                           Case{{"contention", "-k", "acquired"}, "Unknown compare key: acquired", of_waits},
                           Case{{"contention", "-F", "acquired"}, "Unknown output field: acquired", of_waits}}) {
    const Called call = locks(test.arguments);
    EXPECT_EQ(call.error.kind, ErrorKind::Usage);
    EXPECT_EQ(call.error.message, test.message);
    EXPECT_EQ(call.error.hint, test.hint);
  }
}

TEST_F(LockCommand, RecordingsAreNotWatched) {
  for (const std::vector<std::string>& live : {std::vector<std::string>{"-a"},
                                               {"-b"},
                                               {"-o"},
                                               {"-C", "0"},
                                               {"-p", "1"},
                                               {"--tid", "1"},
                                               {"-G", "system"},
                                               {"--user-locks"},
                                               {"-J", "1us@x"}}) {
    std::vector<std::string> arguments{"contention", "-i", path_};
    arguments.insert(arguments.end(), live.begin(), live.end());
    EXPECT_EQ(misuse_of(kLock, arguments),
              "-i " + path_ + " cannot be combined with live tracing: omit the command, -a, -b, -C, -p and --tid")
        << live[0];
  }
  EXPECT_EQ(misuse_of(kLock, {"contention", "-a", "-t", "-S", "path_openat"}),
            "-S without a recording cannot be combined with -t, -l, -g or -o");
}

TEST_F(LockCommand, OtherRecordingsHaveNoLocks) {
  support::TracepointRecording other;
  other.event("sched:sched_switch", {"prev_pid", "next_pid"});
  other.hit("sched:sched_switch", {.time = 5}, {7, 8});
  recorded_in(folder_, other);
  for (const char* part : {"report", "contention", "info"}) {
    const Called call = locks({part});
    EXPECT_EQ(call.error.kind, ErrorKind::Unsupported) << part;
    EXPECT_EQ(call.error.message, "this recording has no lock events");
    EXPECT_EQ(call.error.hint, "record with `perf lock record`");
  }
}

TEST_F(LockCommand, MissingRecordingsAreReported) {
  for (const char* part : {"report", "contention", "info"}) {
    const Called call = called(kLock, {part, "-i", folder_.path("none")});
    EXPECT_EQ(call.code, 255) << part;
    EXPECT_EQ(call.printed, "");
    EXPECT_THAT(call.said, ::testing::StartsWith("failed to open " + folder_.path("none") + ": No such file"));
  }
}

}  // namespace
}  // namespace peregrine::cmd
