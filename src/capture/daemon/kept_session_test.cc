#include "capture/daemon/kept_session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <string>

#include "base/fd.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// Sessions run a program that exits at once: these tests choose how it ended.
class KeptSessionTest : public ::testing::Test {
 protected:
  KeptSessionTest() : fd_(folder_.open()) { ::sigemptyset(&mask_); }
  DaemonPlace place() const {
    return {.folder = fd_.get(), .path = folder_.path(), .program = "/bin/true", .mask = mask_};
  }
  // Starts it, waits for the real process, and reports a different end.
  std::string start_and_end(int status, bool is_wanted = true) {
    session_.start(place());
    EXPECT_NE(session_.running(), nullptr);
    if (session_.running() == nullptr) return "not started";
    ::waitpid(session_.running()->pid(), nullptr, 0);
    return session_.end(status, is_wanted);
  }
  static int exit_of(int code) { return code << 8; }

  TemporaryFolder folder_;
  Fd fd_;
  sigset_t mask_;
  KeptSession session_{{.name = "one", .run = "-a", .words = {"-a"}}};
};

TEST_F(KeptSessionTest, IsDueFromTheBeginning) {
  EXPECT_TRUE(session_.is_due());
  EXPECT_EQ(session_.running(), nullptr);
  EXPECT_EQ(session_.restarts(), 0u);
}

TEST_F(KeptSessionTest, IsNotDueWhileItRuns) {
  const std::string line = session_.start(place());
  ASSERT_NE(session_.running(), nullptr) << line;
  EXPECT_TRUE(line.starts_with("session 'one' started (pid ")) << line;
  EXPECT_TRUE(line.ends_with("): -a")) << line;
  EXPECT_FALSE(session_.is_due());
  EXPECT_FALSE(session_.start_at());
  EXPECT_EQ(session_.state(), "running");
  ::waitpid(session_.running()->pid(), nullptr, 0);
}

TEST_F(KeptSessionTest, AFailureIsRepeatedAfterGrowingDelays) {
  for (const int delay : {1, 2, 4}) {
    const auto before = KeptSession::Clock::now();
    const std::string line = start_and_end(SIGKILL);
    EXPECT_TRUE(line.starts_with("session 'one' killed (signal 9); restarts in ")) << line;
    ASSERT_TRUE(session_.start_at());
    EXPECT_GE(*session_.start_at(), before + std::chrono::seconds(delay));
    EXPECT_TRUE(session_.state().starts_with("killed (signal 9), restarts in ")) << session_.state();
  }
  EXPECT_EQ(session_.restarts(), 2u);
}

TEST_F(KeptSessionTest, SuccessIsNotRepeated) {
  EXPECT_EQ(start_and_end(exit_of(0)), "session 'one' exited, status=0");
  EXPECT_FALSE(session_.start_at());
  EXPECT_EQ(session_.state(), "exited, status=0");
}

TEST_F(KeptSessionTest, InvalidOptionsWaitForAnotherConfig) {
  EXPECT_EQ(start_and_end(exit_of(129)), "session 'one' exited, status=129; not restarted until the config changes");
  EXPECT_EQ(session_.state(), "exited, status=129: see its output");
  EXPECT_FALSE(session_.is_due());
  session_.revive();
  EXPECT_TRUE(session_.is_due());
}

TEST_F(KeptSessionTest, ASessionThatNobodyWantsIsNotRepeated) {
  EXPECT_EQ(start_and_end(SIGKILL, false), "session 'one' killed (signal 9)");
  EXPECT_FALSE(session_.start_at());
}

TEST_F(KeptSessionTest, AnotherConfigStartsAFailedSessionAtOnce) {
  start_and_end(exit_of(1));
  session_.revive();
  EXPECT_TRUE(session_.is_due());
}

TEST_F(KeptSessionTest, AStartThatFailsIsRepeatedToo) {
  folder_.write("session-one", "a file where its folder would be");
  const std::string line = session_.start(place());
  EXPECT_TRUE(line.starts_with("session 'one' failed to start: ")) << line;
  EXPECT_EQ(session_.running(), nullptr);
  EXPECT_TRUE(session_.start_at());
}

}  // namespace
}  // namespace peregrine
