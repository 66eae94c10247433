// Scripts by name: which there are, and their shell files as record, report, and both at once.
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "cmd/script/script_live.h"
#include "cmd/script/script_places.h"
#include "cmd/script/script_run.h"

namespace peregrine::cmd {

namespace {

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

namespace {

Result<int> run_record(const NamedScript& script, std::vector<std::string> words, const ScriptPlaces& places,
                       Invocation& call) {
  auto line = target_words(script, std::move(words), false, call);
  if (!line) return std::unexpected(std::move(line.error()));
  return run_shell(places.usable(script.record), *line);
}

// Words behind options of `script`, which our own shell files would take for options of `script`, too: those of
// linux-perf have a "--" where it is needed.
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
  // Some of linux-perf's files take the script's arguments from the front only.
  if (!input.empty()) words.insert(places.are_own() ? words.begin() : words.end(), {"-i", input});
  return run_shell(places.usable(script.report), words);
}

Result<int> run_both(NamedScript script, LiveWords words, const ScriptPlaces& places, Invocation& call) {
  for (std::string* file : {&script.record, &script.report}) {
    auto usable = places.usable(*file);
    if (!usable) return std::unexpected(std::move(usable.error()));
    *file = std::move(*usable);
  }
  auto record = target_words(script, std::move(words.record), true, call);
  if (!record) return std::unexpected(std::move(record.error()));
  return run_live(script, {with_dashes(std::move(words.report), places), std::move(*record)});
}

}  // namespace

Result<int> run_named_script(const ScriptOptions& options, Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  std::vector<std::string> words = call.words;
  const bool record = words[0] == "record", report = words[0] == "report";
  if (record || report) words.erase(words.begin());
  const std::string name = words.empty() ? std::string() : words[0];
  const auto script = find_named_script(places, name);
  if (record && (!script || script->record.empty())) {  // `script record` without a script is `record`
    if (!name.empty() && !name.starts_with('-') && !is_program(name, call.config)) return no_such_script(name);
    return run_other(kRecord, std::move(words), call);
  }
  if (!script || (!record && script->report.empty()) || (!report && script->record.empty()))
    return no_such_script(name);
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
