#include "cmd/script/script_live.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/fd.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"

namespace peregrine::cmd {

namespace {

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

// A shell file in a process of its own.
struct Shell {
  std::string file;
  std::vector<std::string> words;
  int in = -1, out = -1;  // replace its standard streams; -1 leaves them
  bool ends_with_parent = false, ignores_interrupts = false;
};

[[noreturn]] void become(const Shell& shell, std::vector<std::string> line) {
  if (shell.in >= 0) ::dup2(shell.in, STDIN_FILENO);
  if (shell.out >= 0) ::dup2(shell.out, STDOUT_FILENO);
  if (shell.ignores_interrupts) ::signal(SIGINT, SIG_IGN);
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  arguments[0] = line[0].replace(5, 4, "sh").data();  // no bash here: the files are plain enough for any shell
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// `mask`: the signals that are blocked in it.
Result<pid_t> start_shell(const Shell& shell, const sigset_t& mask) {
  std::vector<std::string> line = {"/bin/bash", shell.file};
  line.insert(line.end(), shell.words.begin(), shell.words.end());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child > 0) return child;
  if (shell.ends_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);  // it ended before the line above
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  become(shell, std::move(line));
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Signals that stop a command are held while it waits for its children, and passed on to the first of them.
class Children {
 public:
  Children() {
    ::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the exit codes away
    sigemptyset(&held_);
    for (const int number : kStopping) sigaddset(&held_, number);
    sigaddset(&held_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &held_, &previous_);
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() { ::sigprocmask(SIG_SETMASK, &previous_, nullptr); }

  Result<> start(const Shell& shell) {
    const auto pid = start_shell(shell, previous_);
    if (!pid) return std::unexpected(pid.error());
    children_.push_back({*pid, std::nullopt});
    return {};
  }

  // The exit codes, in order of start(). When the last one has ended nobody reads what the first one writes.
  std::vector<int> wait() {
    while (!all_ended()) {
      siginfo_t info{};
      const int number = ::sigwaitinfo(&held_, &info);
      if (number == SIGCHLD) {
        reap();
        if (children_.back().code) stop(SIGTERM);
      } else if (number > 0 && !(number == SIGINT && info.si_code == SI_KERNEL)) {
        stop(number);  // what the terminal sends has reached all of them
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
      if (!child.code && ::waitpid(child.pid, &status, WNOHANG) == child.pid) child.code = code_of(status);
    }
  }

  sigset_t held_{}, previous_{};
  std::vector<Child> children_;
};

// Waits for the first bytes, or the end.
bool has_bytes(const Fd& pipe) {
  pollfd waited{pipe.get(), POLLIN, 0};
  while (::poll(&waited, 1, -1) < 0 && errno == EINTR) {
  }
  return (waited.revents & POLLIN) != 0;
}

std::size_t marks_in(std::string_view text, std::string_view marks) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [&](char c) { return marks.find(c) != std::string_view::npos; }));
}

std::size_t required_arguments(const NamedScript& script) { return marks_in(script.arguments, "<"); }
bool takes_options(const NamedScript& script) { return script.arguments.find("[-") != std::string::npos; }

// The options of `record` that the words begin with, and what follows them: the command.
struct RecordWords {
  std::vector<std::string> options, command;
};

Result<RecordWords> split_record_words(const std::vector<std::string>& words) {
  RecordWords split;
  auto parsed = name_uses(kRecord.options, kRecord.words_at, words, split.options);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  split.command = std::move(parsed->words);
  return split;
}

}  // namespace

Result<> check_script_arguments(const NamedScript& script, const std::vector<std::string>& arguments) {
  if (takes_options(script) || arguments.size() <= marks_in(script.arguments, "<[")) return {};
  const std::string takes = script.arguments.empty() ? "no arguments" : script.arguments;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} takes {}: '{}' is one too many", script.name, takes,
                                                             arguments[marks_in(script.arguments, "<[")])});
}

Result<LiveWords> split_live_words(const NamedScript& script, std::vector<std::string> words) {
  const auto mark = std::ranges::find(words, "--");
  auto own = mark;  // the first word that is not the script's
  const std::size_t required = required_arguments(script);
  if (mark == words.end() && !script.name.ends_with("top"))
    own = words.begin() + static_cast<std::ptrdiff_t>(std::min(required, words.size()));
  if (!takes_options(script))
    own = std::find_if(words.begin(), own, [](const std::string& word) { return word.starts_with('-'); });
  LiveWords split{{words.begin(), own}, {own, words.end()}};
  if (split.report.size() < required) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} needs {}", script.name, script.arguments)}.with_hint(
        fmt::format("as in: script {} {} -- COMMAND", script.name, script.arguments)));
  }
  PEREGRINE_TRY(check_script_arguments(script, split.report));
  return split;
}

bool is_program(std::string_view word, const Config& config) {
  const auto is_executable = [](const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string_view::npos) return is_executable(std::string(word));
  return !word.empty() && std::ranges::any_of(split_words(config.variable("PATH").value_or("/usr/bin:/bin"), ':'),
                                              [&](const std::string& folder) {
                                                return is_executable(fmt::format("{}/{}", folder, word));
                                              });
}

Result<std::vector<std::string>> target_words(const NamedScript& script, std::vector<std::string> words, bool piped,
                                              Invocation& call) {
  const auto split = split_record_words(words);
  if (!split) return std::unexpected(split.error());
  const auto names = [&](std::string_view option) {
    return std::ranges::any_of(split->options, [&](std::string_view use) {
      return use == option || (use.starts_with(option) && use.substr(option.size()).starts_with('='));
    });
  };
  const auto place = [&] {
    const std::string args = script.arguments.empty() ? "" : " " + script.arguments;
    return fmt::format("arguments of the script come first, then --: script {}{} -- COMMAND", script.name, args);
  };
  if (piped && names("--output"))
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("-o: {} reads what is recorded", script.name)}.with_hint(place()));
  if (!split->command.empty()) {
    const std::string& command = split->command.front();
    if (is_program(command, call.config)) return words;
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("'{}' is not a program", command)}.with_hint(place()));
  }
  constexpr std::string_view kTargets[] = {"-a", "--all-cpus", "--pid", "--tid", "--uid", "--cpu"};
  if (std::ranges::any_of(kTargets, names)) return words;
  call.messages.note("Recording all CPUs; press Ctrl-C to stop");
  words.insert(words.begin(), "-a");
  return words;
}

Result<int> run_shell(const Result<std::string>& file, const std::vector<std::string>& words) {
  if (!file) return std::unexpected(file.error());
  Children children;
  PEREGRINE_TRY(children.start({.file = *file, .words = words}));
  return children.wait().front();
}

Result<int> run_live(const NamedScript& script, const LiveWords& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd from(ends[0]), to(ends[1]);
  Shell recorder{.file = script.record, .words = words.record, .out = to.get(), .ends_with_parent = true};
  recorder.words.insert(recorder.words.begin(), {"-q", "-o", "-"});
  const Shell report{.file = script.report, .words = words.report, .in = from.get(), .ignores_interrupts = true};
  Children children;
  PEREGRINE_TRY(children.start(recorder));
  to.reset();
  // A recorder that fails has said why: then there is nothing to report.
  if (!has_bytes(from)) {
    from.reset();
    return children.wait().front();
  }
  if (auto started = children.start(report); !started) {
    children.stop(SIGTERM);
    return std::unexpected(started.error());
  }
  from.reset();
  return children.wait().back();
}

}  // namespace peregrine::cmd
