// Terminals: their size, their key mode, and the pager. Uses a pseudo-terminal.
#include "output/terminal/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "output/terminal/key_mode.h"
#include "output/terminal/pager.h"
#include "output/terminal/terminal_rescue.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(DumbTerminal, HasNoOrNoCapableName) {
  for (const auto& term : {std::optional<std::string_view>(), std::optional<std::string_view>(""),
                           std::optional<std::string_view>("dumb")})
    EXPECT_TRUE(is_dumb_terminal(term)) << term.value_or("unset");
  EXPECT_FALSE(is_dumb_terminal("xterm"));
  EXPECT_FALSE(is_dumb_terminal("dumber"));
}

class PseudoTerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    master_ = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!master_ || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0)
      GTEST_SKIP() << "no pseudo-terminals here";
    std::array<char, 64> name{};
    if (::ptsname_r(master_.get(), name.data(), name.size()) == 0)
      terminal_ = Fd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal_) GTEST_SKIP() << "/dev/pts is not mounted";
  }
  int fd() const { return terminal_.get(); }
  tcflag_t local_flags() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(fd(), &now), 0);
    return now.c_lflag & (ICANON | ECHO | ISIG);
  }
  // What programs wrote to the terminal.
  std::string shown() const {
    ::fcntl(master_.get(), F_SETFL, O_RDWR | O_NONBLOCK);
    std::array<char, 4096> text{};
    const ssize_t size = ::read(master_.get(), text.data(), text.size());
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }
  void resize(unsigned short columns, unsigned short rows) const {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }

 private:
  Fd master_, terminal_;
};

// Both ends of a pipe, which is no terminal.
std::pair<Fd, Fd> pipe_ends() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

TEST_F(PseudoTerminal, HasASize) {
  EXPECT_TRUE(is_terminal(fd()));
  resize(132, 43);
  EXPECT_EQ(terminal_size(fd()).columns, 132u);
  EXPECT_EQ(terminal_size(fd()).rows, 43u);
}

TEST_F(PseudoTerminal, WithoutASizeIsAsLargeAsUsual) {
  for (const auto [columns, rows] : {std::pair<unsigned short, unsigned short>{0, 0}, {0, 43}, {132, 0}}) {
    resize(columns, rows);
    EXPECT_EQ(terminal_size(fd()).columns, 80u);
    EXPECT_EQ(terminal_size(fd()).rows, 24u);
  }
}

TEST_F(PseudoTerminal, KeyModeDeliversKeysWithoutEcho) {
  ASSERT_EQ(local_flags(), tcflag_t{ICANON | ECHO | ISIG});
  {
    const KeyMode keys(fd());
    EXPECT_TRUE(keys.on());
    EXPECT_EQ(local_flags(), tcflag_t{ISIG}) << "Ctrl-C still interrupts";
    keys.pause();
    EXPECT_EQ(local_flags(), tcflag_t{ICANON | ECHO | ISIG});
    keys.resume();
    EXPECT_EQ(local_flags(), tcflag_t{ISIG});
    char key = 0;
    EXPECT_EQ(::read(fd(), &key, 1), 0) << "reading does not wait";
  }
  EXPECT_EQ(local_flags(), tcflag_t{ICANON | ECHO | ISIG});
}

TEST_F(PseudoTerminal, KeyModeInsideOfKeyModeRestoresTheOuterOne) {
  const KeyMode outer(fd());
  {
    const KeyMode inner(fd());
  }
  EXPECT_EQ(local_flags(), tcflag_t{ISIG});
}

// In a session that the terminal controls: a process in raw mode on the alternate screen gets the signal. True: it died
// of it, and the terminal is as before. The session's leader must live on, because its end hangs up the terminal.
// `early`: the signal arrives between the change of the terminal and arm().
bool ends_and_restores(int number, bool early, int terminal, const std::function<std::string()>& shown) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(number, SIG_DFL);
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    TerminalRescue screen(terminal, TerminalRescue::Kind::Screen);
    termios raw{};
    ::tcgetattr(terminal, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(terminal, TCSANOW, &raw);
    if (early) ::kill(::getpid(), number);
    screen.arm();
    if (!early) ::kill(::getpid(), number);
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != number) return false;
  constexpr tcflag_t kLineMode = ICANON | ECHO | ISIG;
  termios now{};
  if (::tcgetattr(terminal, &now) != 0 || (now.c_lflag & kLineMode) != kLineMode) return false;
  return shown().find("\x1b[?1049l\x1b[?25h") != std::string::npos;
}

TEST_F(PseudoTerminal, ASignalThatEndsTheProgramRestoresIt) {
  constexpr int kNoControl = 200;
  const pid_t leader = ::fork();
  if (leader == 0) {
    if (::setsid() < 0 || ::ioctl(fd(), TIOCSCTTY, 1) != 0) ::_exit(kNoControl);
    for (const int number : {SIGQUIT, SIGHUP, SIGUSR1, SIGALRM, SIGTERM})
      for (const bool early : {true, false})
        if (!ends_and_restores(number, early, fd(), [this] { return shown(); })) ::_exit(number);
    ::_exit(0);
  }
  ASSERT_GT(leader, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(leader, &status, 0), leader);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoControl) GTEST_SKIP() << "no terminal can be controlled here";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the signal that does not restore it";
}

TEST_F(PseudoTerminal, TheRescueLeavesOtherHandlersAlone) {
  struct sigaction now{};
  ::signal(SIGUSR1, SIG_IGN);
  {
    TerminalRescue keys(fd(), TerminalRescue::Kind::KeysOnly);
    keys.arm();
    ::sigaction(SIGUSR2, nullptr, &now);
    EXPECT_NE(now.sa_handler, SIG_DFL);
    ::sigaction(SIGUSR1, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
  }
  ::sigaction(SIGUSR2, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  ::signal(SIGUSR1, SIG_DFL);
}

TEST(Terminal, PipesAndClosedDescriptorsAreNone) {
  const auto [out, in] = pipe_ends();
  for (const int fd : {out.get(), -1}) {
    EXPECT_FALSE(is_terminal(fd));
    EXPECT_EQ(terminal_size(fd).columns, 80u);
    EXPECT_EQ(terminal_size(fd).rows, 24u);
    const KeyMode keys(fd);
    EXPECT_FALSE(keys.on());
    keys.pause();
    keys.resume();
  }
}

class PagerTest : public ::testing::Test {
 protected:
  // Shows the text in a pager that is this command line, in the folder.
  void show(const std::string& command, std::string_view text, std::vector<std::string> environment = {}) const {
    environment.push_back("PATH=/usr/bin:/bin");
    auto pager = Pager::start("cd '" + folder_.path() + "'; " + command, environment);
    ASSERT_TRUE(pager) << pager.error().message;
    ASSERT_TRUE(write_all(pager->fd(), text.data(), text.size()));
    pager->wait();
    EXPECT_LT(pager->fd(), 0);
  }

  const TemporaryFolder folder_;
};

TEST_F(PagerTest, GetsTheTextAndIsWaitedFor) {
  show("cat >shown", "one\ntwo\n");
  EXPECT_EQ(folder_.text("shown"), "one\ntwo\n");
  show("sed -n 2p >shown", "one\ntwo\n");
  EXPECT_EQ(folder_.text("shown"), "two\n") << "the command is a shell's";
}

TEST_F(PagerTest, HasTheGivenEnvironmentOnly) {
  show("cat >/dev/null; echo \"$LESS|$HOME\" >shown", "x", {"LESS=FRSX"});
  EXPECT_EQ(folder_.text("shown"), "FRSX|\n");
}

TEST_F(PagerTest, MovesWithItsProcess) {
  const std::vector<std::string> environment{"PATH=/usr/bin:/bin"};
  {
    auto pager = Pager::start("cat >'" + folder_.path("shown") + "'", environment);
    ASSERT_TRUE(pager) << pager.error().message;
    const Pager moved(std::move(*pager));
    ASSERT_TRUE(write_all(moved.fd(), "text", 4));
  }
  EXPECT_EQ(folder_.text("shown"), "text") << "the destructor waits for it";
}

TEST_F(PagerTest, ClosesThePipeWhenItIsLeft) {
  auto pager = Pager::start("exit 3", {});
  ASSERT_TRUE(pager) << pager.error().message;
  pollfd waited{pager->fd(), 0, 0};
  constexpr int kPatience = 60'000;  // ms; it takes no time
  ASSERT_EQ(::poll(&waited, 1, kPatience), 1);
  EXPECT_EQ(waited.revents, POLLERR) << "what is written next raises SIGPIPE";
}

}  // namespace
}  // namespace peregrine
