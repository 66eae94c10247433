// A daemon with a plan whose sessions end at once, asked through its socket; and its words.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "capture/daemon/command_words.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"

namespace peregrine {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, SplitsAsAShellDoes) {
  EXPECT_EQ(*command_words("-e cpu-clock  -m 1 sleep 10"), (Words{"-e", "cpu-clock", "-m", "1", "sleep", "10"}));
  EXPECT_EQ(*command_words("-- sh -c 'sleep  1; \"x\"' \"a b\" \\' ''"),
            (Words{"--", "sh", "-c", "sleep  1; \"x\"", "a b", "'", ""}));
  EXPECT_EQ(*command_words("-e sched:* $HOME"), (Words{"-e", "sched:*", "$HOME"}));
  EXPECT_TRUE(command_words(" \t")->empty());
  EXPECT_EQ(command_words("sh -c 'x").error().message, "no closing ' in: sh -c 'x");
}

class DaemonTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = testing::TempDir() + "/daemon-" + std::string(98, 'x');  // longer than a socket's path may be
    std::filesystem::remove_all(base_);
    std::filesystem::create_directories(base_);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  DaemonSetup setup(std::vector<SessionPlan> sessions) {
    return {.plan = {.base = base_, .sessions = std::move(sessions)},
            .program = "/bin/true",
            .watched = {},
            .read_plan = [] { return Result<DaemonPlan>(fail(ErrorKind::NotFound, "no config")); },
            .log = [this](std::string_view line) { log_.emplace_back(line); }};
  }

  std::string base_;
  Words log_;
};

TEST_F(DaemonTest, AnswersUntilItIsStopped) {
  auto server = DaemonServer::open(setup({{.name = "short", .run = "-a", .words = {"-a"}}}));
  ASSERT_TRUE(server) << server.error().message;
  Result<> ran;
  std::thread thread([&] { ran = server->run(); });
  const auto listed = ask_daemon(base_, "list");
  const auto pinged = ask_daemon(base_, "ping none");
  const auto stopped = ask_daemon(base_, "stop");
  thread.join();
  // The one who said stop is answered by the end of its connection, which comes with the end of the server.
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_GE(listed->size(), 5u);
  EXPECT_EQ((*listed)[1], "daemon");
  EXPECT_EQ((*listed)[3], base_);
  ASSERT_TRUE(pinged) << pinged.error().message;
  EXPECT_TRUE(pinged->empty());
  EXPECT_EQ(log_.back(), "daemon exited");
  EXPECT_TRUE(std::filesystem::exists(base_ + "/session-short/output"));
}

TEST_F(DaemonTest, OwnsItsBaseAlone) {
  const auto first = DaemonServer::open(setup({}));
  ASSERT_TRUE(first) << first.error().message;
  const auto second = DaemonServer::open(setup({}));
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().message.starts_with("another daemon (pid ")) << second.error().message;
}

TEST_F(DaemonTest, SaysWhenNobodyAnswers) {
  const auto answer = ask_daemon(base_, "list");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
