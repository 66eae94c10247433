#include "session/script/shell_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/prctl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <expected>
#include <optional>
#include <utility>

#include "base/fd.h"

namespace peregrine {

namespace {

constexpr int kStoppingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// The settings that differ between two connected files.
struct ShellStreams {
  int in = -1, out = -1;  // replace its standard streams; -1 leaves them
  bool ends_with_parent = false, ignores_interrupts = false;
};

// Runs the file in the child; if no shell can be run, writes errno into `failed` and ends.
[[noreturn]] void become_shell(const ShellCommand& command, const ShellStreams& streams, std::vector<char*> line,
                               int failed) {
  if (streams.in >= 0) ::dup2(streams.in, STDIN_FILENO);
  if (streams.out >= 0) ::dup2(streams.out, STDOUT_FILENO);
  if (streams.ignores_interrupts) ::signal(SIGINT, SIG_IGN);
  for (const std::string& shell : command.shells) {
    line[0] = const_cast<char*>(shell.c_str());
    ::execv(line[0], line.data());
  }
  const int error = errno;
  static_cast<void>(!write_all(failed, &error, sizeof error));
  ::_exit(127);
}

// 0, or the errno of execve(2): the child's end of the pipe closes when it succeeds.
int wait_for_exec(const Fd& pipe) {
  int error = 0;
  ssize_t got = -1;
  while ((got = ::read(pipe.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  return got == sizeof error ? error : 0;
}

// `mask`: the signals blocked in the child.
Result<pid_t> start_shell(const ShellCommand& command, const ShellStreams& streams, const sigset_t& mask) {
  std::vector<std::string> words = {std::string(), command.file};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> line;
  for (std::string& word : words) line.push_back(word.data());
  line.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe");
  const Fd from(ends[0]);
  Fd to(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child == 0) {
    if (streams.ends_with_parent) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(127);  // it ended before the line above
    }
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    become_shell(command, streams, std::move(line), to.get());
  }
  to.reset();
  const int error = wait_for_exec(from);
  if (error == 0) return child;
  ::waitpid(child, nullptr, 0);
  const std::string shell = command.shells.empty() ? "" : command.shells.back();
  auto failed = fail_errno(fmt::format("cannot run '{}' with {}", command.file, shell), error);
  failed.error().hint = "named scripts need a shell; run a script file with -s FILE";
  return failed;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// While a command waits for its children, signals that would stop it are held back and passed on to the first child.
class ShellProcesses {
 public:
  ShellProcesses() {
    ::signal(SIGCHLD, SIG_DFL);  // if ignored, exit codes would be lost
    sigemptyset(&held_);
    for (const int number : kStoppingSignals) sigaddset(&held_, number);
    sigaddset(&held_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &held_, &previous_);
  }
  ShellProcesses(const ShellProcesses&) = delete;
  ShellProcesses& operator=(const ShellProcesses&) = delete;
  ~ShellProcesses() { ::sigprocmask(SIG_SETMASK, &previous_, nullptr); }

  Result<> start(const ShellCommand& command, const ShellStreams& streams = {}) {
    const auto pid = start_shell(command, streams, previous_);
    if (!pid) return std::unexpected(pid.error());
    children_.push_back({*pid, std::nullopt});
    return {};
  }

  // The exit codes, in order of start(). Once the last child has ended, nobody reads the first one's output.
  std::vector<int> wait() {
    while (!all_ended()) {
      siginfo_t info{};
      const int number = ::sigwaitinfo(&held_, &info);
      if (number == SIGCHLD) {
        reap();
        if (children_.back().code) stop(SIGTERM);
      } else if (number > 0 && !(number == SIGINT && info.si_code == SI_KERNEL)) {
        stop(number);  // the terminal sends its signals to all of them
      }
    }
    std::vector<int> codes;
    for (const Child& child : children_) codes.push_back(*child.code);
    return codes;
  }

  void stop(int number) {
    if (!children_.empty() && !children_.front().code) ::kill(children_.front().pid, number);
  }

 private:
  struct Child {
    pid_t pid;
    std::optional<int> code;
  };

  bool all_ended() const {
    return std::ranges::all_of(children_, [](const Child& child) { return child.code.has_value(); });
  }

  void reap() {
    for (Child& child : children_) {
      int status = 0;
      if (!child.code && ::waitpid(child.pid, &status, WNOHANG) == child.pid) child.code = exit_code_of(status);
    }
  }

  sigset_t held_{}, previous_{};
  std::vector<Child> children_;
};

// Waits for the first bytes or the end of the pipe.
bool has_bytes(const Fd& pipe) {
  pollfd waited{pipe.get(), POLLIN, 0};
  while (::poll(&waited, 1, -1) < 0 && errno == EINTR) {
  }
  return (waited.revents & POLLIN) != 0;
}

}  // namespace

Result<int> run_shell_file(const ShellCommand& command) {
  ShellProcesses processes;
  PEREGRINE_TRY(processes.start(command));
  return processes.wait().front();
}

Result<int> run_recorder_and_report(const ShellCommand& recorder, const ShellCommand& report) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd from(ends[0]), to(ends[1]);
  ShellProcesses processes;
  PEREGRINE_TRY(processes.start(recorder, {.out = to.get(), .ends_with_parent = true}));
  to.reset();
  if (!has_bytes(from)) {
    from.reset();
    return processes.wait().front();
  }
  if (auto started = processes.start(report, {.in = from.get(), .ignores_interrupts = true}); !started) {
    processes.stop(SIGTERM);
    return std::unexpected(started.error());
  }
  from.reset();
  return processes.wait().back();
}

}  // namespace peregrine
