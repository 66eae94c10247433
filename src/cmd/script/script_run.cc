#include "cmd/script/script_run.h"

#include <fmt/format.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file/replace_file.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/recording/recording.h"
#include "cmd/script/script_places.h"
#include "data/reader/reader.h"
#include "pipeline/replay/filter.h"
#include "script/interpreter.h"
#include "session/recording/opened_recording.h"
#include "session/script/user_script.h"

namespace peregrine::cmd {

Result<> check_script(const ScriptOptions& options, Invocation& call) {
  const auto spec = parse_script_spec(options.script, ScriptPlaces::find(call.config));
  if (!spec) return std::unexpected(spec.error());
  return {};
}

Result<int> run_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                       Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  const auto spec = parse_script_spec(options.script, places);
  if (!spec) return std::unexpected(spec.error());
  if (const std::string reason = script_obstacle(spec->file); !reason.empty()) {
    call.messages.verbatim(fmt::format("Can't open {} script \"{}\": {}\n",
                                       spec->language == script::Language::Python ? "python" : "perl", spec->file,
                                       reason));
    return 255;
  }
  places.set_environment(call.config);
  PEREGRINE_TRY(call.out.flush());
  const auto setting = [&](std::string_view key) -> std::optional<std::string> {
    const auto found = call.config.find(setting_key(key));
    return found ? std::optional(std::string(*found)) : std::nullopt;
  };
  return run_user_script({.language = spec->language,
                          .file = spec->file,
                          .arguments = call.words,
                          .plugins = places.plugins,
                          .stacks = options.lines.stacks,
                          .setting = setting},
                         {.reader = reader,
                          .filter = std::move(filter),
                          .gate = gate,
                          .places = symbol_places(options.symbols, call, reader),
                          .conditions = options.summary.report},
                         call.messages);
}

Result<int> generate_script(const std::string& language, const data::Reader& reader, Invocation& call) {
  const auto chosen = find_language(language);
  if (!chosen) return fail(ErrorKind::Usage, "invalid language specifier: must be python or perl");
  const bool python = *chosen == script::Language::Python;
  const std::string file = python ? "perf-script.py" : "perf-script.pl";
  PEREGRINE_TRY(replace_file(file, starter_script(*chosen, reader), 0600));
  call.out.format("generated {} script: {}\n", python ? "Python" : "Perl", file);
  return 0;
}

}  // namespace peregrine::cmd
