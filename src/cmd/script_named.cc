// Scripts by name: which there are, and their shell files as record, report, and both at once.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cmd/command_table.h"
#include "cmd/parts.h"
#include "cmd/script_places.h"
#include "cmd/script_run.h"

namespace peregrine::cmd {

namespace {

// A shell file in a process of its own; `in` and `out` replace its standard streams, -1 leaves them.
Result<pid_t> start_shell(const std::string& file, const std::vector<std::string>& words, int in, int out) {
  std::vector<std::string> line = {"/bin/bash", file};
  line.insert(line.end(), words.begin(), words.end());
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child > 0) return child;
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  if (out >= 0) ::dup2(out, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  arguments[0] = line[0].replace(5, 4, "sh").data();  // no bash here: the files are plain enough for any shell
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<int> run_shell(const std::string& file, const std::vector<std::string>& words) {
  const auto child = start_shell(file, words, -1, -1);
  if (!child) return std::unexpected(child.error());
  return wait_for(*child);
}

// How many arguments of its own a script takes, by its "# args:" line: those in brackets may be missing.
std::size_t required_arguments(std::string_view text) {
  std::size_t count = 0;
  for (const std::string& word : split_words(text, ' ')) count += word.starts_with('<') ? 1 : 0;
  return count;
}

std::size_t possible_arguments(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return c == '<' || c == '['; }));
}

// Whether anything is there to run while it records; else it records the whole machine until Ctrl-C.
std::vector<std::string> recording_words(std::vector<std::string> words) {
  const bool command = std::ranges::any_of(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (!command) words.insert(words.begin(), "-a");
  return words;
}

// The recorder writes into a pipe that the report reads, until either ends.
Result<int> run_live(const NamedScript& script, std::vector<std::string> words) {
  const std::size_t own = std::min(words.size(), words.size() > possible_arguments(script.arguments)
                                                     ? required_arguments(script.arguments)
                                                     : possible_arguments(script.arguments));
  std::vector<std::string> report(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(own));
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(own));
  std::vector<std::string> record = recording_words(std::move(words));
  for (const char* word : {"-", "-o", "-q"}) record.insert(record.begin(), word);
  for (const char* word : {"-", "-i"}) report.insert(report.begin(), word);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pipe");
  const auto recorder = start_shell(script.record, record, -1, ends[1]);
  const auto reader = recorder ? start_shell(script.report, report, ends[0], -1) : recorder;
  ::close(ends[0]);
  ::close(ends[1]);
  if (!recorder || !reader) return std::unexpected(recorder ? reader.error() : recorder.error());
  const int code = wait_for(*reader);
  wait_for(*recorder);
  return code;
}

std::unexpected<Error> no_such_script(std::string_view name) {
  Error error{ErrorKind::Usage, fmt::format("there is no script '{}'", name)};
  // Old manuals put fields behind -f, which has meant --force since linux 3.x.
  if (name.find(',') != std::string_view::npos)
    error.hint = fmt::format("did you mean -F {}? -f is --force", name);
  else
    error.hint = "script -l lists those that there are; a file is run with -s FILE";
  return std::unexpected(std::move(error));
}

}  // namespace

int list_scripts(Invocation& call) {
  call.out.append("List of available trace scripts:\n");
  for (const NamedScript& script : named_scripts(ScriptPlaces::find(call.config))) {
    if (script.report.empty()) continue;
    const std::string head =
        script.arguments.empty() ? script.name : fmt::format("{} {}", script.name, script.arguments);
    call.out.format("  {:<36} {}\n", head, script.description);
  }
  return 0;
}

Result<int> run_named_script(const ScriptOptions& options, Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  std::vector<std::string> words = call.words;
  const bool record = words[0] == "record", report = words[0] == "report";
  if (record || report) words.erase(words.begin());
  const std::string name = words.empty() ? std::string() : words[0];
  const auto script = find_named_script(places, name);
  if (record && (!script || script->record.empty()))  // `script record` without a script is `record`
    return run_other(kRecord, std::move(words), call);
  if (!script || (!record && script->report.empty()) || (!report && script->record.empty()))
    return no_such_script(name);
  words.erase(words.begin());
  places.set_environment(call.config);
  PEREGRINE_TRY(call.out.flush());
  if (record) {
    if (options.all_cpus) words.insert(words.begin(), "-a");
    return run_shell(script->record, recording_words(std::move(words)));
  }
  if (report) {
    if (!words.empty() && words[0].starts_with('-')) words.insert(words.begin(), "--");  // the script's, not ours
    if (!options.input.empty()) words.insert(words.begin(), {"-i", options.input});
    return run_shell(script->report, words);
  }
  if (options.all_cpus) words.emplace_back("-a");
  return run_live(*script, std::move(words));
}

}  // namespace peregrine::cmd
