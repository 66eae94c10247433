// `timechart`: from its arguments to the picture or the error.
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

using ::testing::HasSubstr;
using ::testing::StartsWith;

// worker (pid 8) runs from 1 s to 2.5 s, then other (pid 9) until 4 s.
support::TracepointRecording turns_recording() {
  support::TracepointRecording recording;
  recording.event("sched:sched_switch",
                  {"prev_comm[16]", "prev_pid", "prev_prio", "prev_state", "next_comm[16]", "next_pid", "next_prio"});
  const auto change = [&](u64 time, const char* from, u64 was, const char* to, u64 is) {
    recording.hit("sched:sched_switch", {.time = time, .pid = static_cast<u32>(was), .tid = static_cast<u32>(was)},
                  {from, was, 120, 1, to, is, 120});
  };
  change(1'000'000'000, "swapper", 0, "worker", 8);
  change(2'500'000'000, "worker", 8, "other", 9);
  change(4'000'000'000, "other", 9, "swapper", 0);
  return recording;
}

class TimechartCommand : public ::testing::Test {
 protected:
  Called drawn(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-i", path_, "-o", picture_});
    return called(kTimechart, std::move(arguments));
  }
  // The resulting picture.
  std::string picture(std::vector<std::string> arguments) {
    const Called call = drawn(std::move(arguments));
    EXPECT_EQ(call.error.message, "");
    EXPECT_EQ(call.code, 0) << call.said;
    return folder_.text("chart.svg");
  }

  const TemporaryFolder folder_;
  const std::string path_ = recorded_in(folder_, turns_recording());
  const std::string picture_ = folder_.path("chart.svg");
};

TEST_F(TimechartCommand, DrawsARowPerTask) {
  const Called call = drawn({});
  EXPECT_THAT(call.said, HasSubstr("Written 3.0 seconds of trace to " + picture_ + ".\n"));
  EXPECT_EQ(call.printed, "");
  const std::string text = folder_.text("chart.svg");
  EXPECT_THAT(text, HasSubstr("<svg"));
  EXPECT_THAT(text, HasSubstr("worker"));
  EXPECT_THAT(text, HasSubstr("other"));
}

TEST_F(TimechartCommand, TasksAreChosenByNameOrPid) {
  for (const char* task : {"worker", "8"}) {
    const std::string one = picture({"-P", "--no-power-only", "-T", "-p", task, "-n", "0"});
    EXPECT_THAT(one, HasSubstr("worker")) << task;
  }
}

TEST_F(TimechartCommand, PicturesMayGoToStandardOutput) {
  const Called call = called(kTimechart, {"-i", path_, "-o", "-"});
  EXPECT_THAT(call.printed, HasSubstr("<svg"));
  EXPECT_FALSE(folder_.has("chart.svg"));
}

TEST_F(TimechartCommand, WidthsAreOfThePicture) {
  EXPECT_THAT(picture({"-w", "2000"}), HasSubstr("2000"));
  EXPECT_EQ(misuse_of(kTimechart, {"-w", "wide"}), "switch `w' expects a numerical value");
  EXPECT_EQ(misuse_of(kTimechart, {"-w", "-1"}), "switch `w' expects a numerical value");
}

TEST_F(TimechartCommand, SomethingMustBeLeftToDraw) {
  EXPECT_EQ(misuse_of(kTimechart, {"-P", "-T"}), "-P cannot be combined with -T: nothing would be drawn");
  EXPECT_EQ(misuse_of(kTimechart, {"record", "-P", "-T", "true"}),
            "-P cannot be combined with -T: nothing would be drawn");
}

TEST_F(TimechartCommand, OtherWordsAreNoParts) {
  EXPECT_EQ(misuse_of(kTimechart, {"draw"}),
            "unknown subcommand 'draw': must be 'record'; without a subcommand, timechart draws the chart");
}

TEST_F(TimechartCommand, DurationsHaveUnits) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;  // empty: accepted
  };
  for (const Case& test : {
           Case{{"--io-min-time", "500"}, ""},
           Case{{"--io-min-time", "500ns"}, ""},
           Case{{"--io-min-time", "2ms", "--io-merge-dist", "10us"}, ""},
           Case{{"--io-min-time", "x", "--no-io-min-time"},
                "invalid --io-min-time 'x': must be a number with ns, us, ms or s"},
           Case{{"--no-io-min-time"}, ""},
           Case{{"--io-min-time", "1h"}, "invalid --io-min-time '1h': must be a number with ns, us, ms or s"},
           Case{{"--io-merge-dist="}, "invalid --io-merge-dist '': must be a number with ns, us, ms or s"},
           Case{{"--io-merge-dist", "-1us"}, "invalid --io-merge-dist '-1us': must be a number with ns, us, ms or s"},
       })
    EXPECT_EQ(drawn(test.arguments).error.message, test.message) << ::testing::PrintToString(test.arguments);
}

TEST_F(TimechartCommand, SpansLimitThePicture) {
  const Called call = drawn({"--time", "1,2.5"});
  EXPECT_THAT(call.said, HasSubstr("Written 1.5 seconds of trace to "));
  EXPECT_EQ(drawn({"--time", "x"}).error.kind, ErrorKind::Usage);
}

TEST_F(TimechartCommand, MissingRecordingsNameTheRecorder) {
  const Called call = called(kTimechart, {"-i", folder_.path("none")});
  EXPECT_EQ(call.code, 255);
  EXPECT_THAT(call.said, StartsWith("failed to open " + folder_.path("none") + ": No such file or directory"));
}

}  // namespace
}  // namespace peregrine::cmd
