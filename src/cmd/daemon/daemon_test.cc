// How `daemon` handles its arguments and config files when no daemon is running.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;

class DaemonCommand : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(DaemonCommand, OneVerbAtATime) {
  EXPECT_EQ(misuse_of(kDaemon, {"ping", "stop"}), "unexpected argument 'stop'");
  const Called unknown = called(kDaemon, {"restart"});
  EXPECT_EQ(unknown.error.kind, ErrorKind::Usage);
  EXPECT_EQ(unknown.error.message, "unknown subcommand 'restart'");
  EXPECT_EQ(unknown.error.hint,
            "must be start, stop, signal or ping; without a subcommand, daemon lists running sessions");
}

TEST_F(DaemonCommand, OptionsBelongToVerbs) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const char* const session = "--session can only be used with ping or signal";
  for (const Case& test : {Case{{"stop", "-f"}, "-f can only be used with start"},
                           Case{{"-f"}, "-f can only be used with start"}, Case{{"--session", "a"}, session},
                           Case{{"stop", "--session", "a"}, session}, Case{{"start", "--session", "a"}, session}})
    EXPECT_EQ(misuse_of(kDaemon, test.arguments), test.message) << ::testing::PrintToString(test.arguments);
}

TEST_F(DaemonCommand, WithoutADaemonEveryQuestionSaysHowToStartOne) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{}, {"ping"}, {"signal"}, {"stop"}, {"ping", "--session", "a"}}) {
    SCOPED_TRACE(::testing::PrintToString(question));
    std::vector<std::string> arguments = question;
    arguments.insert(arguments.end(), {"--base", folder_.path()});
    const Called call = called(kDaemon, arguments);
    EXPECT_EQ(call.error.kind, ErrorKind::NotFound);
    EXPECT_EQ(call.error.hint, "start it with `daemon start`");
    EXPECT_EQ(call.printed, "");
  }
}

TEST_F(DaemonCommand, TheBaseIsNamedSomewhere) {
  const std::string config = folder_.write("sessions.conf", "[session-a]\nrun = -a\n");
  for (const char* verb : {"start", "stop", "ping"}) {
    const Called call = called(kDaemon, {verb, "--config", config});
    EXPECT_EQ(call.error.message, "missing base folder") << verb;
    EXPECT_EQ(call.error.hint, "use --base FOLDER, or set base=FOLDER in [daemon] of --config FILE or ~/.perfconfig");
  }
}

TEST_F(DaemonCommand, TheBaseOfTheConfigIsAsked) {
  const std::string config = folder_.write("sessions.conf", "[daemon]\nbase=" + folder_.path("base") + "\n");
  const Called call = called(kDaemon, {"ping", "--config", config});
  EXPECT_EQ(call.error.kind, ErrorKind::NotFound) << call.error.message;
  EXPECT_THAT(call.error.message, HasSubstr(folder_.path("base")));
  const Called other = called(kDaemon, {"ping", "--config", config, "--base", folder_.path("other")});
  EXPECT_THAT(other.error.message, HasSubstr(folder_.path("other"))) << "an option wins";
}

TEST_F(DaemonCommand, BrokenConfigsAreReported) {
  const std::string config = folder_.write("sessions.conf", "[daemon]\nbase\x01=\n");
  const Called broken = called(kDaemon, {"start", "--config", config});
  EXPECT_EQ(broken.error.kind, ErrorKind::Malformed);
  EXPECT_EQ(broken.error.message, "bad config file line 2 in " + config);
  const Called missing = called(kDaemon, {"start", "--config", folder_.path("none")});
  EXPECT_EQ(missing.error.message, "cannot read config file " + folder_.path("none"));
}

TEST_F(DaemonCommand, SessionsWithUnfinishedQuotesAreReported) {
  const std::string config =
      folder_.write("sessions.conf", "[daemon]\nbase=" + folder_.path("base") + "\n[session-a]\nrun = -e 'cycles\n");
  const Called call = called(kDaemon, {"start", "--config", config});
  EXPECT_EQ(call.error.kind, ErrorKind::Usage);
  EXPECT_THAT(call.error.message, ::testing::StartsWith("session 'a': "));
  EXPECT_FALSE(folder_.has("base")) << "nothing was started";
}

TEST_F(DaemonCommand, VerbsHaveTheirOwnHelp) {
  for (const char* verb : {"start", "stop", "signal", "ping"}) {
    const Called help = called(kDaemon, {verb, "-h"});
    EXPECT_EQ(help.error.message, "");
    EXPECT_THAT(help.printed + help.said, HasSubstr(std::string("perf daemon ") + verb + " [<options>]")) << verb;
  }
  const Called all = called(kDaemon, {"-h"});
  for (const char* verb : {"start", "stop", "signal", "ping"})
    EXPECT_THAT(all.printed + all.said, HasSubstr(std::string(verb) + " [<options>]")) << verb;
}

}  // namespace
}  // namespace peregrine::cmd
