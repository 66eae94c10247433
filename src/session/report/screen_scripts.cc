#include "session/report/screen_scripts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <sstream>
#include <utility>

#include "base/fd.h"
#include "base/judged_file.h"
#include "base/text/words.h"
#include "session/script/named_script.h"

namespace peregrine {

namespace {

// The events recorded by a script's shell file: the values of its -e options.
std::vector<std::string> events_of(const std::string& record_file) {
  std::vector<std::string> events;
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::istringstream in(read_regular_file(record_file, kMost).value_or(""));
  bool named = false;
  for (std::string word; in >> word;) {
    if (named)
      for (std::string& event : split_words(word)) events.push_back(std::move(event));
    named = word == "-e";
  }
  return events;
}

bool fits(const NamedScript& script, const std::vector<std::string>& recorded) {
  return std::ranges::all_of(events_of(script.record), [&](const std::string& event) {
    return std::ranges::find(recorded, event) != recorded.end();
  });
}

class RunningScript : public tui::TextSource {
 public:
  RunningScript(pid_t process, Fd text) : process_(process), text_(std::move(text)) {}
  ~RunningScript() override {
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  RunningScript(const RunningScript&) = delete;
  RunningScript& operator=(const RunningScript&) = delete;

  int fd() const override { return text_.get(); }
  bool read(std::string& text) override {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // until the screen is drawn
    char part[1 << 16];
    for (std::size_t read = 0; read < kAtOnce;) {
      const ssize_t size = ::read(text_.get(), part, sizeof part);
      if (size < 0) return errno == EAGAIN || errno == EINTR;
      if (size == 0) return false;
      text.append(part, static_cast<std::size_t>(size));
      read += static_cast<std::size_t>(size);
    }
    return true;
  }

 private:
  pid_t process_;
  Fd text_;
};

}  // namespace

std::vector<tui::ScriptChoice> script_choices(const std::string& folder, const std::vector<std::string>& events) {
  std::vector<tui::ScriptChoice> choices{
      {.title = "Print samples", .words = {}},
      {.title = "Print samples with instructions", .words = {"-F", "+disasm"}},
      {.title = "Print samples with source lines", .words = {"-F", "+srcline,+srccode"}},
      {.title = "Print samples with other options of script", .words = {}, .asks = true}};
  for (const NamedScript& script : named_scripts(folder)) {
    if (script.report.empty() || !fits(script, events)) continue;
    choices.push_back({.title = fmt::format("{}: {}", script.name, script.description),
                       .words = {"-s", script.name},
                       .asks = script.arguments.starts_with('<')});
  }
  return choices;
}

std::vector<std::string> script_line(const std::string& program, const std::string& recording,
                                     const std::vector<std::string>& words, const tui::ScriptSamples& of) {
  // The process inherits this one's sandbox and cannot enter another.
  std::vector<std::string> line{program, "--no-pager", "--no-sandbox", "script", "-i", recording};
  if (!of.comm.empty()) line.insert(line.end(), {"--comms", of.comm});
  if (!of.symbol.empty()) line.insert(line.end(), {"--symbols", of.symbol});
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

Result<std::unique_ptr<tui::TextSource>> start_script(std::vector<std::string> line) {
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd text(ends[0]), in(ends[1]);
  ::fcntl(text.get(), F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int refused = ::posix_spawn(&process, "/proc/self/exe", &actions, &how, arguments.data(), ::environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return fail_errno("cannot start `script`", refused);
  return std::make_unique<RunningScript>(process, std::move(text));
}

}  // namespace peregrine
