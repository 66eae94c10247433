// Scripts by name: lists them, and runs their shell files as record, report, or both at once.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/parts.h"
#include "cli/option/parser.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/script/script_options.h"
#include "cmd/script/script_places.h"
#include "cmd/script/script_run.h"
#include "session/script/named_script.h"
#include "session/script/shell_file.h"
#include "sys/process/program_path.h"

namespace peregrine::cmd {

namespace {

std::unexpected<Error> no_such_script(const std::string& name, const Invocation& call) {
  Error error{ErrorKind::Usage, fmt::format("unknown script '{}'", name)};
  // Old manuals put fields after -f, which has meant --force since linux 3.x.
  if (name.find(',') != std::string_view::npos)
    error.hint = fmt::format("did you mean '-F {}'? -f is --force", name);
  else if (is_recording(name))
    error.hint = recording_hint(call, name);
  else
    error.hint = "list scripts with `script -l`, or run a file with -s FILE";
  return std::unexpected(std::move(error));
}

}  // namespace

int list_scripts(Invocation& call) {
  call.out.append("List of available trace scripts:\n");
  for (const NamedScript& script : named_scripts(ScriptPlaces::find(call.config).scripts)) {
    if (script.report.empty()) continue;
    const std::string head =
        script.arguments.empty() ? script.name : fmt::format("{} {}", script.name, script.arguments);
    call.out.format("  {:<36} {}\n", head, script.description);
  }
  return 0;
}

namespace {

// How to call `script record`; its options are those of `record`.
constexpr std::string_view kScriptRecordUsage[] = {"<name> [<record options>] [<command>]",
                                                   "[<record options>] [<command>]"};
constexpr Command kScriptRecord{.name = "script record",
                                .summary = "Record what a named script needs",
                                .usage = kScriptRecordUsage,
                                .passes_to = &kRecord};

bool is_program(std::string_view word, const Config& config) {
  return is_executable(find_program(word, config.search_path()));
}

// The options of `record` at the start of the arguments, and what follows them: the command.
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

// The arguments of `record`: all CPUs, with a note, if the arguments name neither a command nor another target. Errors:
// Usage, invalid options, the command is not a program, an output file although the recording is `piped`.
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
    return fmt::format("put the script's arguments before -- and the command after it: script {}{} -- COMMAND",
                       script.name, args);
  };
  if (piped && names("--output"))
    return std::unexpected(Error{
        ErrorKind::Usage, fmt::format("-o cannot be used here: {} reads the recording through a pipe", script.name)}
                               .with_hint(place()));
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

Result<int> run_shell(const Result<std::string>& file, std::vector<std::string> arguments) {
  if (!file) return std::unexpected(file.error());
  return run_shell_file({.file = *file, .arguments = std::move(arguments)});
}

Result<int> run_record(const NamedScript& script, std::vector<std::string> words, const ScriptPlaces& places,
                       Invocation& call) {
  auto line = target_words(script, std::move(words), false, call);
  if (!line) return std::unexpected(std::move(line.error()));
  return run_shell(places.usable(script.record), std::move(*line));
}

// Our shell files put these arguments after options of `script`, and would treat arguments that begin with a dash as
// more options. Those of linux-perf have a "--" where it is needed.
std::vector<std::string> with_dashes(std::vector<std::string> words, const ScriptPlaces& places) {
  if (places.are_own() && !words.empty() && words[0].starts_with('-') && words[0] != "--")
    words.insert(words.begin(), "--");
  return words;
}

Result<int> run_report(const NamedScript& script, std::vector<std::string> words, std::string input,
                       const ScriptPlaces& places) {
  if (words.size() >= 2 && (words[0] == "-i" || words[0] == "--input")) {
    input = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (places.are_own()) PEREGRINE_TRY(check_script_arguments(script, words));
  words = with_dashes(std::move(words), places);
  // Some of linux-perf's files only accept the script's arguments at the front.
  if (!input.empty()) words.insert(places.are_own() ? words.begin() : words.end(), {"-i", input});
  return run_shell(places.usable(script.report), std::move(words));
}

Result<int> run_both(NamedScript script, LiveWords words, const ScriptPlaces& places, Invocation& call) {
  for (std::string* file : {&script.record, &script.report}) {
    auto usable = places.usable(*file);
    if (!usable) return std::unexpected(std::move(usable.error()));
    *file = std::move(*usable);
  }
  auto record = target_words(script, std::move(words.record), true, call);
  if (!record) return std::unexpected(std::move(record.error()));
  record->insert(record->begin(), {"-q", "-o", "-"});
  return run_recorder_and_report({.file = script.record, .arguments = std::move(*record)},
                                 {.file = script.report, .arguments = with_dashes(std::move(words.report), places)});
}

}  // namespace

Result<int> run_named_script(const ScriptOptions& options, Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  std::vector<std::string> words = call.words;
  const bool record = words[0] == "record", report = words[0] == "report";
  if (record || report) words.erase(words.begin());
  const std::string name = words.empty() ? std::string() : words[0];
  const auto script = find_named_script(places.scripts, name);
  if (record) {
    const auto options_at = words.begin() + (script ? 1 : 0);
    if (auto answered = answer_for(kScriptRecord, {options_at, words.end()}, call)) return std::move(*answered);
  }
  if (report && !script) {  // -h and --list-opts of `script report` are those of `script`
    std::vector<std::string> uses;
    const auto parsed = name_uses(call.command.options, call.command.words_at, words, uses);
    if (parsed && parsed->asked != Asked::Run) return answer(call, *parsed);
  }
  if (record && (!script || script->record.empty())) {  // `script record` without a script is `record`
    if (!name.empty() && !name.starts_with('-') && !is_program(name, call.config)) return no_such_script(name, call);
    return run_other(kRecord, std::move(words), call);
  }
  if (!script || (!record && script->report.empty()) || (!report && script->record.empty()))
    return no_such_script(name, call);
  words.erase(words.begin());
  places.set_environment(call.config);
  PEREGRINE_TRY(call.out.flush());
  if (report) return run_report(*script, std::move(words), options.input, places);
  if (record) {
    if (options.all_cpus) words.insert(words.begin(), "-a");
    return run_record(*script, std::move(words), places, call);
  }
  auto split = split_live_words(*script, std::move(words));
  if (!split) return std::unexpected(std::move(split.error()));
  if (options.all_cpus) split->record.insert(split->record.begin(), "-a");
  return run_both(*script, std::move(*split), places, call);
}

}  // namespace peregrine::cmd
