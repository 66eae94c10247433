// Command lines of record that end before anything is opened.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cmd/command_table.h"
#include "support/called_command.h"

namespace peregrine::cmd {
namespace {

// The error's message and kind are those of linux-perf where it has the same rule: some are no usage errors.
struct Conflict {
  std::vector<std::string> arguments;
  const char* message;
  ErrorKind kind = ErrorKind::Usage;
};

TEST(RecordConflicts, AreReportedBeforeAnythingIsRecorded) {
  for (const Conflict& test : {
           Conflict{
               {"--threads", "-o", "-"}, "Parallel trace streaming is not available in pipe mode.", ErrorKind::System},
           Conflict{{"--threads", "--aio"},
                    "Asynchronous streaming mode (--aio) is mutually exclusive to parallel streaming mode.",
                    ErrorKind::System},
           Conflict{{"--threads", "--affinity", "node"},
                    "--affinity option is mutually exclusive to parallel streaming mode.",
                    ErrorKind::System},
           Conflict{{"--threads", "--unwind", "now"},
                    "--unwind=now and --threads exclude each other: one thread unwinds"},
           Conflict{{"--overwrite", "--unwind", "now"},
                    "--unwind=now and --overwrite exclude each other: old records are not unwound"},
           Conflict{{"--off-cpu", "--unwind", "now"}, "--unwind=now and --off-cpu exclude each other"},
           Conflict{{"--off-cpu-thresh", "5"}, "--off-cpu-thresh is of no use without --off-cpu"},
           Conflict{{"--kcore", "-o", "-"}, "--kcore needs a directory: the output is a pipe"},
           Conflict{{"--switch-output", "-o", "-"}, "--switch-output needs a file: the output is a pipe"},
           Conflict{{"--sync", "-o", "-"}, "--sync needs a file: the output is a pipe"},
       }) {
    std::vector<std::string> arguments = test.arguments;
    arguments.insert(arguments.end(), {"--dry-run", "true"});
    const Called call = called(kRecord, arguments);
    SCOPED_TRACE(test.message);
    EXPECT_EQ(call.error.message, test.message);
    EXPECT_EQ(call.error.kind, test.kind);
    EXPECT_EQ(call.printed, "");
  }
}

TEST(RecordConflicts, FilterSetupRunsNoCommand) {
  const Called call = called(kRecord, {"--setup-filter", "pin", "sleep", "1"});
  EXPECT_EQ(call.error.message, "--setup-filter runs no command, but 'sleep' was given");
  EXPECT_EQ(call.error.hint, "set up the filter first, then record");
}

TEST(RecordConflicts, FiltersFollowTheirEvent) {
  EXPECT_EQ(misuse_of(kRecord, {"--filter", "x == 1", "true"}),
            "--filter option should follow a -e tracepoint or HW tracer option");
  EXPECT_EQ(misuse_of(kRecord, {"--exclude-perf", "true"}),
            "--exclude-perf option should follow a -e tracepoint option");
}

TEST(RecordConflicts, UnknownOptionsAreUsageErrors) {
  EXPECT_EQ(misuse_of(kRecord, {"--evnt", "cycles"}), "unknown option `evnt'");
  EXPECT_EQ(misuse_of(kRecord, {"-e"}), "switch `e' requires a value");
}

}  // namespace
}  // namespace peregrine::cmd
