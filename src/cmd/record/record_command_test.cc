// Command lines of record that end before anything is opened.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

// Messages and kinds of errors are linux-perf's where it has the same rule; some are not usage errors.
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
                    "--unwind=now cannot be combined with --threads: one thread unwinds"},
           Conflict{{"--overwrite", "--unwind", "now"},
                    "--unwind=now cannot be combined with --overwrite: old records are not unwound"},
           Conflict{{"--off-cpu", "--unwind", "now"}, "--unwind=now cannot be combined with --off-cpu"},
           Conflict{{"--off-cpu-thresh", "5"}, "--off-cpu-thresh requires --off-cpu"},
           Conflict{{"--kcore", "-o", "-"}, "--kcore cannot write to a pipe: it needs a directory"},
           Conflict{{"--switch-output", "-o", "-"}, "--switch-output cannot write to a pipe: it needs files"},
           Conflict{{"--sync", "-o", "-"}, "--sync cannot be used with a pipe: it needs a file"},
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
  EXPECT_EQ(call.error.message, "--setup-filter does not take a command: 'sleep'");
  EXPECT_EQ(call.error.hint, "set up the filter first, then record");
}

TEST(RecordConflicts, APageReplacesNoProgram) {
  const TemporaryFolder folder;
  const std::string program = folder.write("wl",
                                           "\x7f"
                                           "ELF");
  const Called call = called(kRecord, {"--dry-run", "--html", program});
  EXPECT_EQ(call.error.message, "'" + program + "' is a program or binary: refusing to overwrite it");
  EXPECT_EQ(call.error.hint, "--html takes the name of the page: --html page.html -- " + program);
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
