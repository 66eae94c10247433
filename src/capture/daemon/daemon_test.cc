// A daemon with scripts as sessions, queried through its socket by good and bad clients; and parsing of its plan.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/daemon/backoff.h"
#include "capture/daemon/base_folder.h"
#include "capture/daemon/bounded_output.h"
#include "capture/daemon/command_words.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "capture/daemon/session.h"

namespace peregrine {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, SplitsAsAShellDoes) {
  EXPECT_EQ(*command_words("-e cpu-clock  -m 1 sleep 10"), (Words{"-e", "cpu-clock", "-m", "1", "sleep", "10"}));
  EXPECT_EQ(*command_words("-- sh -c 'sleep  1; \"x\"' \"a b\" \\' ''"),
            (Words{"--", "sh", "-c", "sleep  1; \"x\"", "a b", "'", ""}));
  EXPECT_EQ(*command_words("-e sched:* $HOME"), (Words{"-e", "sched:*", "$HOME"}));
  EXPECT_TRUE(command_words(" \t")->empty());
  EXPECT_EQ(command_words("sh -c 'x").error().message, "unterminated ' in: sh -c 'x");
}

TEST(SessionFolder, IsBelowTheBase) { EXPECT_EQ(session_folder("/base", "boot"), "/base/session-boot"); }

class DaemonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = ::testing::TempDir() + "/daemon-" + std::string(98, 'x');  // longer than a socket's path may be
    std::filesystem::remove_all(base_);
    std::filesystem::create_directories(base_);
    ::chmod(base_.c_str(), 0700);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  DaemonSetup setup(std::vector<SessionPlan> sessions, const std::string& program = "/bin/true") {
    return {.plan = {.base = base_, .sessions = std::move(sessions)},
            .program = program,
            .watched = {},
            .read_plan = [] { return Result<DaemonPlan>(fail(ErrorKind::NotFound, "no config")); },
            .log = [this](std::string_view line) { log_.emplace_back(line); }};
  }

  // Runs a daemon on a separate thread while `client` queries it, then stops it.
  void serve(DaemonServer& server, const std::function<void()>& client) {
    Result<> ran;
    std::thread thread([&] { ran = server.run(); });
    client();
    const auto stopped = ask_daemon(base_, "stop");
    thread.join();
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_TRUE(stopped) << stopped.error().message;
  }

  // An executable script that runs in place of `record`.
  std::string script(const std::string& text) {
    const std::string path = base_ + "/script";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }

  std::string error_of_open() {
    const auto server = DaemonServer::open(setup({}));
    return server ? "opened" : server.error().message;
  }

  // A connection that has not sent anything yet.
  Fd connect() const {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const Fd folder(::open(base_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/control", folder.get());
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  unsigned mode_of(const std::string& name) const {
    struct stat status{};
    EXPECT_EQ(::lstat((base_ + "/" + name).c_str(), &status), 0) << name;
    return status.st_mode & 07777u;
  }
  std::string text_of(const std::string& name) const { return read_file(base_ + "/" + name).value_or("(none)"); }
  std::size_t logged(std::string_view part) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(log_, [&](const std::string& line) { return line.find(part) != line.npos; }));
  }

  std::string base_;
  Words log_;
};

const SessionPlan kShort{.name = "short", .run = "-a", .words = {"-a"}};

TEST_F(DaemonTest, AnswersUntilItIsStopped) {
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] {
    const auto listed = ask_daemon(base_, "list");
    const auto pinged = ask_daemon(base_, "ping none");
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_EQ(listed->size(), 2 * DaemonServer::kRowWidth);
    EXPECT_EQ((*listed)[1], "daemon");
    EXPECT_EQ((*listed)[3], base_);
    ASSERT_TRUE(pinged) << pinged.error().message;
    EXPECT_TRUE(pinged->empty());
  });
  EXPECT_EQ(log_.back(), "daemon exited");
  EXPECT_TRUE(std::filesystem::exists(base_ + "/session-short/output"));
  EXPECT_FALSE(std::filesystem::exists(base_ + "/control"));
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

TEST_F(DaemonTest, ReportsTheProcessOfAStoppedDaemon) {
  const Fd folder(::open(base_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  OwnedName name;
  const auto listener = listen_as_daemon(folder.get(), base_ + "/control", name);
  ASSERT_TRUE(listener) << listener.error().message;
  const pid_t stopped = ::fork();
  if (stopped == 0) {
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ASSERT_GT(stopped, 0);
  ::waitpid(stopped, nullptr, WUNTRACED);
  std::ofstream(base_ + "/lock") << stopped;
  for (const std::string_view question : {"list", "stop"}) {
    const auto answer = ask_daemon(base_, question, std::chrono::milliseconds(20));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message,
              fmt::format("the daemon (pid {}) in '{}' does not respond: it is stopped", stopped, base_));
    EXPECT_EQ(answer.error().hint, fmt::format("continue it with `kill -CONT {}`", stopped));
  }
  ::kill(stopped, SIGKILL);
  ::waitpid(stopped, nullptr, 0);
}

TEST_F(DaemonTest, MakesPrivateFilesWhateverTheUmask) {
  const mode_t before = ::umask(0);
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_EQ(mode_of("control"), 0600u);
  EXPECT_EQ(mode_of("lock"), 0600u);
  serve(*server, [&] { EXPECT_TRUE(ask_daemon(base_, "list")); });
  ::umask(before);
  EXPECT_EQ(mode_of("session-short"), 0700u);
  for (const auto* name : {"output", "control", "ack"}) EXPECT_EQ(mode_of(std::string("session-short/") + name), 0600u);
}

TEST_F(DaemonTest, RefusesABaseThatOthersCanWrite) {
  for (const mode_t mode : {0770, 0702, 01777}) {
    ::chmod(base_.c_str(), mode);
    EXPECT_EQ(error_of_open(), "other users can write to '" + base_ + "'") << mode;
  }
  ::chmod(base_.c_str(), 0755);
  EXPECT_EQ(error_of_open(), "opened");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(::chown(base_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(error_of_open(), "'" + base_ + "' belongs to user 65534, not to you or root");
}

TEST_F(DaemonTest, FollowsNoLinksAndReplacesNothingForeign) {
  const std::string precious = ::testing::TempDir() + "/daemon-precious";
  std::ofstream(precious) << "precious";
  std::filesystem::create_symlink(precious, base_ + "/lock");
  EXPECT_EQ(error_of_open(), "'" + base_ + "/lock' is a symbolic link");
  std::filesystem::remove(base_ + "/lock");
  std::ofstream(base_ + "/control") << "a file";
  EXPECT_EQ(error_of_open(), "'" + base_ + "/control' is not a socket");
  std::filesystem::remove(base_ + "/control");
  std::filesystem::create_directory(base_ + "/session-short");
  ::chmod((base_ + "/session-short").c_str(), 0700);
  std::filesystem::create_symlink(precious, base_ + "/session-short/output");
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] { EXPECT_TRUE(ask_daemon(base_, "list")); });
  EXPECT_EQ(logged("failed to start: '" + base_ + "/session-short/output' is a symbolic link"), 1u);
  EXPECT_EQ(read_file(precious).value_or(""), "precious");
  std::filesystem::remove(precious);
}

TEST_F(DaemonTest, TakesOverFromADaemonThatWasKilled) {
  {
    auto killed = DaemonServer::open(setup({kShort}));  // disconnects without a request
    ASSERT_TRUE(killed) << killed.error().message;
    killed->leave_to_other();
  }
  EXPECT_TRUE(std::filesystem::exists(base_ + "/control"));
  std::ofstream(base_ + "/lock") << "4194304";
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] { EXPECT_TRUE(ask_daemon(base_, "list")); });
}

TEST_F(DaemonTest, AFailedStartLeavesNothing) {
  auto failing = setup({kShort});
  failing.watched = {"/dev/null/none/config"};  // watched once the lock and the socket exist
  const auto server = DaemonServer::open(std::move(failing));
  ASSERT_FALSE(server);
  EXPECT_TRUE(std::filesystem::is_empty(base_)) << server.error().message;
}

TEST_F(DaemonTest, AFailedStartKeepsTheLockOfAnEarlierDaemon) {
  std::ofstream(base_ + "/lock") << "4194304";
  auto failing = setup({kShort});
  failing.watched = {"/dev/null/none/config"};
  ASSERT_FALSE(DaemonServer::open(std::move(failing)));
  EXPECT_EQ(text_of("lock"), "4194304");
}

TEST_F(DaemonTest, AnExceptionEndsSessionsAndLeavesNoSocket) {
  auto failing = setup({kShort});
  bool thrown = false;
  failing.log = [&](std::string_view line) {
    log_.emplace_back(line);
    if (line.starts_with("daemon started") && !std::exchange(thrown, true)) throw std::bad_alloc();
  };
  auto server = DaemonServer::open(std::move(failing));
  ASSERT_TRUE(server) << server.error().message;
  const auto ran = server->run();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "out of memory");
  EXPECT_FALSE(std::filesystem::exists(base_ + "/control"));
  EXPECT_EQ(log_.back(), "daemon exited");
}

TEST_F(DaemonTest, IsNotHeldUpByClients) {
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] {
    const Fd silent = connect(), half = connect(), deaf = connect();
    ASSERT_EQ(::write(half.get(), "li", 2), 2);
    ASSERT_EQ(::write(deaf.get(), "list\n", 5), 5);  // and never reads
    const Fd flood = connect();
    const std::string junk(65536, 'x');
    ssize_t sent = 0, total = 0;
    while (total < (1 << 30) && (sent = ::send(flood.get(), junk.data(), junk.size(), MSG_NOSIGNAL)) > 0) total += sent;
    EXPECT_LT(total, 4 << 20);  // it disconnected
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(ask_daemon(base_, "list"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
    char byte = 0;
    EXPECT_EQ(::read(silent.get(), &byte, 1), 0);  // gives up after two seconds
    EXPECT_EQ(::read(half.get(), &byte, 1), 0);
    std::vector<Fd> crowd;
    for (int i = 0; i < 40; ++i) crowd.push_back(connect());
    EXPECT_TRUE(ask_daemon(base_, "list"));
  });
}

TEST_F(DaemonTest, AnswersEarlierClientsWhenTooManyConnect) {
  auto server = DaemonServer::open(setup({kShort}));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] {
    const Fd first = connect();
    ASSERT_EQ(::write(first.get(), "li", 2), 2);
    std::vector<Fd> crowd;
    for (int i = 0; i < 40; ++i) crowd.push_back(connect());
    ASSERT_EQ(::send(first.get(), "st\n", 3, MSG_NOSIGNAL), 3);
    char byte = 0;
    EXPECT_EQ(::read(first.get(), &byte, 1), 1);
  });
}

TEST_F(DaemonTest, StartsFailedSessionsAgainAfterGrowingPauses) {
  auto server = DaemonServer::open(setup({kShort}, script("echo run; exit 3")));
  ASSERT_TRUE(server) << server.error().message;
  std::vector<std::string> listed;
  serve(*server, [&] {
    for (unsigned attempt = 0; attempt < 500; ++attempt) {
      listed = ask_daemon(base_, "list").value_or(Words{});
      if (listed.size() == 2 * DaemonServer::kRowWidth && listed[7] == "-" && listed[13] == "1") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  ASSERT_EQ(listed.size(), 2 * DaemonServer::kRowWidth);
  EXPECT_EQ(listed[7], "-");
  EXPECT_TRUE(listed[12].starts_with("exited, status=3, restarts in ")) << listed[12];
  EXPECT_EQ(listed[13], "1");
  EXPECT_EQ(logged("session 'short' exited, status=3; restarts in 1 s"), 1u);
  EXPECT_EQ(logged("session 'short' exited, status=3; restarts in 2 s"), 1u);
  EXPECT_EQ(logged("session 'short' started"), 2u);
}

TEST_F(DaemonTest, DoesNotRepeatWhatIsDoneOrCannotWork) {
  for (const int status : {0, 129}) {
    log_.clear();
    auto server = DaemonServer::open(setup({kShort}, script(fmt::format("exit {}", status))));
    ASSERT_TRUE(server) << server.error().message;
    serve(*server, [&] { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); });
    EXPECT_EQ(logged("session 'short' started"), 1u) << status;
    EXPECT_EQ(logged(fmt::format("session 'short' exited, status={}", status)), 1u);
  }
}

TEST_F(DaemonTest, BoundsWhatSessionsPrint) {
  auto server = DaemonServer::open(setup({kShort}, script("head -c 9000000 /dev/zero | tr '\\0' x; echo end")));
  ASSERT_TRUE(server) << server.error().message;
  serve(*server, [&] {
    for (int i = 0; i < 200 && !text_of("session-short/output").ends_with("end\n"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_TRUE(text_of("session-short/output").ends_with("xend\n"));
  EXPECT_LE(std::filesystem::file_size(base_ + "/session-short/output"), BoundedOutput::kLimit);
  EXPECT_EQ(std::filesystem::file_size(base_ + "/session-short/output.old"), BoundedOutput::kLimit);
}

TEST(Backoff, DoublesUpToFiveMinutesAndBeginsAnewAfterASteadyRun) {
  using std::chrono::seconds;
  Backoff backoff;
  for (const int delay : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300})
    EXPECT_EQ(backoff.next(seconds(2)), seconds(delay));
  EXPECT_EQ(backoff.next(seconds(60)), seconds(1));
  EXPECT_EQ(backoff.next(seconds(1)), seconds(2));
}

TEST(Backoff, TellsFailuresFromEnds) {
  const auto exited = [](int status) { return status << 8; };
  EXPECT_EQ(end_of_session(exited(0)), SessionEnd::Finished);
  EXPECT_EQ(end_of_session(SIGTERM), SessionEnd::Finished);
  EXPECT_EQ(end_of_session(exited(129)), SessionEnd::Refused);
  EXPECT_EQ(end_of_session(exited(1)), SessionEnd::Failed);
  EXPECT_EQ(end_of_session(SIGKILL), SessionEnd::Failed);
}

}  // namespace
}  // namespace peregrine
