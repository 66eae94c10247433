// `inject`: from its arguments to the copy or the error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A sample in a mapped file that does not exist.
support::PerfDataBuilder mapped_recording() {
  support::PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 99}, {"sample", "ip,tid,time"}, {"flags", "comm,mmap,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1}});
  data.record("mmap2",
              {{"pid", 7}, {"tid", 7}, {"addr", 0x1000}, {"len", 0x1000}, {"file", "/no/such/program"}, {"time", 2}});
  data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"misc", 2}});
  return data;
}

class InjectCommand : public ::testing::Test {
 protected:
  Called injected(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-i", path_});
    return called(kInject, std::move(arguments));
  }
  Called copied(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", copy_});
    return injected(std::move(arguments));
  }
  // The records of a recording, as text.
  static std::string records(const std::string& path) {
    return called(kScript, {"-i", path, "--show-task-events", "--show-mmap-events", "-F", "comm,tid,time,ip,event"})
        .printed;
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, mapped_recording());
  const std::string copy_ = folder_.path("copy.data");
};

TEST_F(InjectCommand, CopiesAreTheSameRecords) {
  const Called call = copied({});
  EXPECT_EQ(call.code, 0) << call.error.message << call.said;
  EXPECT_EQ(call.printed, "");
  EXPECT_THAT(records(path_), HasSubstr("1010"));
  EXPECT_EQ(records(copy_), records(path_));
}

TEST_F(InjectCommand, ACopyOfACopyIsTheCopy) {
  copied({});
  const std::string first = folder_.text("copy.data");
  EXPECT_EQ(called(kInject, {"-i", copy_, "-o", folder_.path("again.data")}).code, 0);
  EXPECT_EQ(folder_.text("again.data"), first);
}

TEST_F(InjectCommand, ExistingRecordingsAreKept) {
  copied({});
  const std::string first = folder_.text("copy.data");
  EXPECT_EQ(copied({}).code, 0);
  EXPECT_EQ(folder_.text("copy.data.old"), first);
}

TEST_F(InjectCommand, KnownBuildIdsAreOfThesePaths) {
  const std::string id(40, 'a');
  EXPECT_EQ(copied({"-b", "--known-build-ids", id + " /no/such/program"}).code, 0);
  EXPECT_EQ(called(kBuildidList, {"-i", copy_}).printed, id + " /no/such/program\n");
  const std::string list = folder_.write("ids", id + " /no/such/program\n");
  EXPECT_EQ(copied({"-b", "--known-build-ids", "file://" + list}).code, 0);
  EXPECT_EQ(called(kBuildidList, {"-i", copy_}).printed, id + " /no/such/program\n") << "the same from a file";
  EXPECT_EQ(copied({"-b", "--known-build-ids", "xyz /no/such/program"}).error.message,
            "Couldn't parse known build ids.");
}

TEST_F(InjectCommand, OutputIsNotTheInput) {
  EXPECT_EQ(injected({"-o", path_}).error.message, path_ + " is both input and output");
  EXPECT_EQ(records(path_).empty(), false) << "it is unharmed";
}

TEST_F(InjectCommand, EditsThatReadEachOthersResultsAreRefused) {
  const char* const aslr =
      "--aslr cannot be combined with --convert-callchain, --guest-data, --itrace, --jit or --sched-stat";
  const char* const stacks = "--convert-callchain cannot be combined with --jit, --sched-stat or --itrace";
  const char* const in_place = "--vm-time-correlation changes times in place and cannot be combined with other edits";
  const char* const guest = "--guest-data cannot be combined with --convert-callchain, --itrace, --jit or --sched-stat";
  struct Case {
    std::vector<std::string> options;
    const char* message;
  };
  for (const Case& test :
       {Case{{"--aslr", "--jit"}, aslr}, Case{{"--aslr", "-s"}, aslr}, Case{{"--aslr", "--itrace"}, aslr},
        Case{{"--aslr", "--convert-callchain"}, aslr}, Case{{"--aslr", "--guest-data=g,1"}, aslr},
        Case{{"--convert-callchain", "-j"}, stacks}, Case{{"--convert-callchain", "-s"}, stacks},
        Case{{"--convert-callchain", "--itrace=i"}, stacks}, Case{{"--vm-time-correlation", "-b"}, in_place},
        Case{{"--vm-time-correlation", "--aslr"}, in_place}, Case{{"--vm-time-correlation", "-j"}, in_place},
        Case{{"--vm-time-correlation", "--guest-data=g,1"}, in_place}, Case{{"--guest-data=g,1", "-j"}, guest},
        Case{{"--guest-data=g,1", "-s"}, guest}, Case{{"--guest-data=g,1", "--convert-callchain"}, guest}}) {
    SCOPED_TRACE(::testing::PrintToString(test.options));
    const Called call = copied(test.options);
    EXPECT_EQ(call.error.kind, ErrorKind::Usage);
    EXPECT_EQ(call.error.message, test.message);
    EXPECT_FALSE(folder_.has("copy.data")) << "nothing was written";
  }
  EXPECT_EQ(copied({"--aslr", "--jit"}).error.hint, "run inject twice, --aslr last");
}

TEST_F(InjectCommand, NegationsTakeEditsBack) {
  for (const std::vector<std::string>& none : {std::vector<std::string>{"--aslr", "--jit", "--no-jit"},
                                               {"--aslr", "--itrace=i", "--no-itrace"},
                                               {"--aslr", "--guest-data=g,1", "--no-guest-data"},
                                               {"--vm-time-correlation=dry-run", "--no-vm-time-correlation"}})
    EXPECT_EQ(copied(none).code, 0) << ::testing::PrintToString(none);
}

TEST_F(InjectCommand, TimesAreChangedInPlaceOnlyWithForce) {
  const Called careful = injected({"--vm-time-correlation"});
  EXPECT_EQ(careful.error.message, "--vm-time-correlation changes '" + path_ + "' in place");
  EXPECT_EQ(careful.error.hint, "pass --force to allow this, or dry-run to preview the changes");
  EXPECT_EQ(misuse_of(kInject, {"--vm-time-correlation", "-i", "-"}),
            "--vm-time-correlation changes a file in place: -i FILE is required");
  EXPECT_EQ(misuse_of(kInject, {"--vm-time-correlation=dry-run", "-i", path_, "-o", copy_}),
            "--vm-time-correlation cannot be combined with -o: it changes the input");
  EXPECT_EQ(injected({"--vm-time-correlation=dry-run"}).error.message, path_ + ": no Intel PT trace");
}

TEST_F(InjectCommand, TracesAreNeededForWhatIsMadeOfThem) {
  const Called strip = copied({"--strip"});
  EXPECT_EQ(strip.code, 255);
  EXPECT_EQ(strip.said, "--strip option requires --itrace option\n");
  EXPECT_EQ(copied({"--itrace"}).error.message, path_ + ": no hardware trace to decode");
  EXPECT_THAT(copied({"--itrace=?"}).error.message, StartsWith("Bad Instruction Tracing options '?'"));
}

TEST_F(InjectCommand, MisuseIsReported) {
  EXPECT_EQ(misuse_of(kInject, {"-i", path_, "more"}), "unexpected argument 'more'");
  EXPECT_EQ(misuse_of(kInject, {"--guest-data=g"}).substr(0, 14), "--guest-data: ");
  EXPECT_EQ(copied({"--vmlinux", folder_.path("none")}).error.message, "Invalid file: " + folder_.path("none"));
  const Called none = called(kInject, {"-i", folder_.path("none"), "-o", copy_});
  EXPECT_EQ(none.code, 255);
  EXPECT_THAT(none.said, StartsWith("failed to open " + folder_.path("none")));
  EXPECT_FALSE(folder_.has("copy.data"));
}

}  // namespace
}  // namespace peregrine::cmd
