// `evlist`, `data convert` and `archive` on a small recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"
#include "support/tracepoint_recording.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two cpu-clock samples in `busy`.
support::PerfDataBuilder clock_recording() {
  support::PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 99}, {"sample", "ip,tid,time"}, {"flags", "comm,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "busy"}, {"time", 1000}});
  for (const u64 time : {u64{2'000'000'000}, u64{3'000'000'000}})
    data.record("sample", {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", time}, {"misc", 2}});
  return data;
}

class DataCommands : public ::testing::Test {
 protected:
  Called read(const Command& command, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-i", path_});
    return called(command, std::move(arguments));
  }

  // Uses caches below the test's folder.
  Config own_cache() const { return Config::of({"HOME=" + folder_.path()}, {{"buildid.dir", folder_.path("cache")}}); }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, clock_recording());
};

TEST_F(DataCommands, EvlistPrintsTheEvents) {
  EXPECT_EQ(read(kEvlist, {}).printed, "cpu-clock:HG\n");
  EXPECT_EQ(read(kEvlist, {"-F"}).printed, "cpu-clock:HG: sample_freq=99\n");
  EXPECT_EQ(read(kEvlist, {"-g"}).printed, "cpu-clock:HG\n") << "a single event has no braces";
  EXPECT_THAT(read(kEvlist, {"-v"}).printed, HasSubstr("sample_type: IP|TID|TIME"));
  EXPECT_EQ(read(kEvlist, {"-vF"}).printed, read(kEvlist, {"-v"}).printed) << "all fields include the frequency";
}

TEST_F(DataCommands, EvlistHasATipForTracepoints) {
  support::TracepointRecording traced;
  traced.event("sched:sched_switch", {"prev_pid", "next_pid"});
  recorded_in(folder_, traced);
  const std::string tip = "# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n";
  EXPECT_EQ(read(kEvlist, {}).printed, "sched:sched_switch\n" + tip);
  const std::string fields = read(kEvlist, {"--trace-fields"}).printed;
  EXPECT_THAT(fields, HasSubstr("prev_pid,next_pid\n"));
  EXPECT_THAT(fields, Not(HasSubstr("# Tip")));
}

TEST_F(DataCommands, EvlistShowsGroupsOrDetails) {
  for (const char* detail : {"-F", "-v"})
    EXPECT_EQ(misuse_of(kEvlist, {"-g", detail}), "--group option is not compatible with other options") << detail;
}

TEST_F(DataCommands, ConvertWritesOneDocument) {
  const std::string json = folder_.path("out.json");
  const Called call = read(kData, {"convert", "--to-json", json});
  EXPECT_EQ(call.code, 0) << call.error.message;
  const std::string text = folder_.text("out.json");
  EXPECT_THAT(text, ::testing::StartsWith("{"));
  EXPECT_THAT(text, HasSubstr("\"comm\": \"busy\""));
  EXPECT_THAT(text, HasSubstr("\"timestamp\": 2000000000"));
  EXPECT_THAT(text, HasSubstr("\"timestamp\": 3000000000"));
}

TEST_F(DataCommands, ConvertTakesTheSamplesOfASpan) {
  EXPECT_EQ(read(kData, {"convert", "--time", "2.5,", "--to-json", folder_.path("out.json")}).code, 0);
  EXPECT_THAT(folder_.text("out.json"), Not(HasSubstr("\"timestamp\": 2000000000")));
  EXPECT_THAT(folder_.text("out.json"), HasSubstr("\"timestamp\": 3000000000"));
}

TEST_F(DataCommands, ConvertOverwritesOnlyWithForce) {
  const std::string json = folder_.write("out.json", "precious");
  const Called refused = read(kData, {"convert", "--to-json", json});
  EXPECT_FALSE(refused.error.message.empty() && refused.code == 0);
  EXPECT_EQ(folder_.text("out.json"), "precious");
  EXPECT_EQ(read(kData, {"convert", "-f", "--to-json", json}).code, 0);
  EXPECT_THAT(folder_.text("out.json"), HasSubstr("busy"));
}

TEST_F(DataCommands, ConvertHasOneTarget) {
  struct Case {
    std::vector<std::string> options;
    const char* message;
  };
  for (const Case& test : {Case{{}, "You must specify one of --to-ctf or --to-json."},
                           Case{{"--all"}, "You must specify one of --to-ctf or --to-json."},
                           Case{{"--to-ctf", "a", "--to-json", "b"}, "You cannot specify both --to-ctf and --to-json."},
                           Case{{"--to-json", "b", "--all"}, "--all is currently unsupported for JSON output."},
                           Case{{"--to-json", "b", "--tod"}, "--tod is currently unsupported for JSON output."}}) {
    std::vector<std::string> arguments{"convert", "-i", path_};
    arguments.insert(arguments.end(), test.options.begin(), test.options.end());
    EXPECT_EQ(misuse_of(kData, arguments), test.message) << ::testing::PrintToString(test.options);
  }
}

TEST_F(DataCommands, ArchivesHaveOneForm) {
  for (const std::vector<std::string>& both :
       {std::vector<std::string>{"--all", "--unpack"}, {"--all", "-o", "x"}, {"--unpack", "-o", "x"}})
    EXPECT_EQ(misuse_of(kArchive, both), "--all, --unpack and -o cannot be combined") << both[0] << both[1];
  EXPECT_EQ(misuse_of(kArchive, {"one", "two"}), "expected one file");
}

TEST_F(DataCommands, BundlesAreReadInPlace) {
  const std::string bundle = folder_.path("case.tar.zst");
  const Called packed = called(kArchive, {"-o", bundle, path_}, own_cache());
  EXPECT_EQ(packed.code, 0) << packed.error.message << packed.said;
  ASSERT_TRUE(folder_.has("case.tar.zst"));
  EXPECT_EQ(called(kEvlist, {"-v", "-i", bundle}, own_cache()).printed, read(kEvlist, {"-v"}).printed);
}

TEST_F(DataCommands, ArchivesOfAnEmptyCacheAreNotWritten) {
  const Called packed = called(kArchive, {path_}, own_cache());
  EXPECT_EQ(packed.code, 1);
  EXPECT_THAT(packed.said + packed.error.message,
              HasSubstr("archive: the build-id cache contains no files for this recording"));
  EXPECT_FALSE(folder_.has("perf.data.tar.bz2"));
}

TEST_F(DataCommands, MissingRecordingsAreReportedByEachCommand) {
  const std::string none = folder_.path("none");
  for (const auto& [command, arguments] :
       {std::pair(&kEvlist, std::vector<std::string>{"-i", none}),
        std::pair(&kData, std::vector<std::string>{"convert", "--to-json", "-", "-i", none}),
        std::pair(&kArchive, std::vector<std::string>{none}),
        std::pair(&kBuildidList, std::vector<std::string>{"-i", none})}) {
    const Called call = called(*command, arguments);
    EXPECT_EQ(call.code, 255) << command->name;
    EXPECT_EQ(call.said, "failed to open " + none + ": No such file or directory\n") << command->name;
    EXPECT_EQ(call.printed, "") << command->name;
  }
}

}  // namespace
}  // namespace peregrine::cmd
