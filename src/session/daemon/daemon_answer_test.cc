#include "session/daemon/daemon_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/daemon/background_daemon.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A daemon with one running session, and one that waits for its third start.
class DaemonListTest : public ::testing::Test {
 protected:
  std::string listed(const DaemonListStyle& style) const {
    Sink out;
    print_daemon_list(rows_, style, "falcon", out);
    return out.take();
  }
  TemporaryFolder folder_;
  const std::string session_folder_ = folder_.path();
  const std::vector<std::string> rows_ = {
      "10",         "daemon",        "",  "/base",   "7", "running", "0",    "11",   "cpu",
      "-a \033[1m", session_folder_, "5", "running", "0", "-",       "=off", "-e x", "/base/session-=off",
      "0",          "failed",        "2"};
};

TEST_F(DaemonListTest, ShowsPeopleTheStateOfSessionsThatDoNotRun) {
  const std::string text = listed({});
  EXPECT_THAT(text, ::testing::StartsWith("[10:daemon] base: /base\n[11:cpu] falcon record -a "));
  EXPECT_THAT(text, HasSubstr("[-:=off] falcon record -e x\n  state:   failed, restarts: 2\n"));
  EXPECT_EQ(text.find("running"), std::string::npos);
  EXPECT_EQ(text.find('\033'), std::string::npos) << "names must not control the terminal";
}

TEST_F(DaemonListTest, ShowsTheFilesAndSizesOfRecordings) {
  folder_.write("perf.data", std::string(1'500'000, 'x'));
  folder_.write("perf.data.old", "x");
  folder_.write("output", "not a recording");
  const std::string text = listed({.files = true});
  EXPECT_THAT(text, HasSubstr("  lock:    /base/lock\n  up:      7 minutes\n"));
  EXPECT_THAT(text, HasSubstr("  data:    1.5 MB in 2 files\n  up:      5 minutes\n"));
}

TEST_F(DaemonListTest, GivesProgramsOneLinePerRunningSession) {
  const std::string text = listed({.separator = ";"});
  EXPECT_THAT(text, ::testing::StartsWith("10;daemon;/base;/base/output;/base/lock;7\n11;cpu;-a "));
  EXPECT_EQ(text.find("=off"), std::string::npos);
}

TEST_F(DaemonListTest, KeepsSpreadsheetsFromRunningArguments) {
  const std::vector<std::string> rows = {"10", "daemon", "",     "/base", "7", "running", "0",
                                         "11", "cpu",    "=1+1", "/f",    "5", "running", "0"};
  const auto text = [&rows](bool safe) {
    Sink out;
    print_daemon_list(rows, {.separator = ",", .csv_safe = safe}, "falcon", out);
    return out.take();
  };
  EXPECT_THAT(text(false), HasSubstr("11,cpu,=1+1,/f,"));
  EXPECT_THAT(text(true), HasSubstr("11,cpu,'=1+1,/f,"));
}

TEST(DaemonReplies, NameTheSessionThatIsNotThere) {
  const auto text = [](DaemonRequest request, const std::vector<std::string>& answer, const std::string& session) {
    Sink out;
    print_daemon_replies(request, answer, session, out);
    return out.take();
  };
  EXPECT_EQ(text(DaemonRequest::Ping, {"cpu", "OK", "net", "FAIL"}, ""), "OK   cpu\nFAIL net\n");
  EXPECT_EQ(text(DaemonRequest::Signal, {"cpu", "77"}, "cpu"), "signal 12 sent to session 'cpu [77]'\n");
  EXPECT_EQ(text(DaemonRequest::Ping, {}, "gone"), "FAIL gone (not found)\n");
  EXPECT_EQ(text(DaemonRequest::Ping, {}, ""), "");
}

TEST(DaemonLog, HasTheTimeBeforeEachLine) {
  EXPECT_THAT(daemon_log_line("started\033"), MatchesRegex("\\[....-..-.. ..:..:..\\.......\\] started.*\n"));
  EXPECT_EQ(daemon_log_line("started\033").find('\033'), std::string::npos);
}

}  // namespace
}  // namespace peregrine
