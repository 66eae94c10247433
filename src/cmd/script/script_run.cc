#include "cmd/script/script_run.h"

#include "base/judged_file.h"
#include "cmd/script/script_places.h"
#include "data/header/recorded_arch.h"
#include "machine/machine.h"
#include "pipeline/replay/recorded_formats.h"
#include "script/script_sink.h"
#include "session/event_names.h"

namespace peregrine::cmd {

namespace {

// How the run ended, in words and as an exit code.
int say_end(const script::Ended& ended, const std::string& file, Invocation& call) {
  if (ended.broken_file) call.messages.verbatim(fmt::format("Error running script {}\n", file));
  return ended.code;
}

// Why a script cannot be read; "": it can. An interpreter would wait for the writer of a FIFO.
std::string obstacle_of(const std::string& file) {
  const auto opened = open_and_judge(file, {});
  if (!opened) return std::error_code(opened.error().system_errno, std::generic_category()).message();
  return opened->fault == FileFault::None ? "" : "not a regular file";
}

bool has_aux_errors(const data::Reader& reader) {
  return reader.header().has(data::FeatureId::Auxtrace) || reader.header().layout == data::Layout::Pipe;
}

}  // namespace

Result<> check_script(const ScriptOptions& options, Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  const auto spec = parse_script_spec(options.script, places);
  if (!spec) return std::unexpected(spec.error());
  return {};
}

Result<int> run_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                       Invocation& call) {
  const ScriptPlaces places = ScriptPlaces::find(call.config);
  const auto spec = parse_script_spec(options.script, places);
  if (!spec) return std::unexpected(spec.error());
  if (const std::string reason = obstacle_of(spec->file); !reason.empty()) {
    call.messages.verbatim(fmt::format("Can't open {} script \"{}\": {}\n",
                                       spec->language == script::Language::Python ? "python" : "perl", spec->file,
                                       reason));
    return 255;
  }
  places.set_environment(call.config);
  PEREGRINE_TRY(call.out.flush());

  Machine machine(symbol_places(options.symbols, call, reader));
  SourceTable sources(machine.dsos(), true);
  auto recorded = recorded_formats(reader);
  const TraceFormats formats = recorded ? std::move(*recorded) : TraceFormats();
  const auto setting = [&](std::string_view key) -> std::optional<std::string> {
    const auto found = call.config.find(setting_key(key));
    return found ? std::optional(std::string(*found)) : std::nullopt;
  };
  script::ReplayAnswers answers(machine.dsos(), sources, data::recorded_arch(reader.header().features),
                                options.max_stack, setting);
  script::Setup setup{.file = spec->file,
                      .arguments = {spec->file},
                      .order = reader.evlist().order(),
                      .max_stack = options.max_stack,
                      .answers = answers};
  setup.arguments.insert(setup.arguments.end(), call.words.begin(), call.words.end());
  auto interpreter = script::load_interpreter(places.plugins, spec->language, setup);
  if (!interpreter) return std::unexpected(std::move(interpreter.error()));
  if (!(*interpreter)->start()) return say_end((*interpreter)->ended(), spec->file, call);

  const script::Hooks hooks = (*interpreter)->hooks();
  ReplayOptions replay_options;
  replay_options.workers = 1;
  replay_options.shown = script::ScriptSink::shown(hooks);
  replay_options.filter = std::move(filter);
  replay_options.every_record = hooks.counts || (hooks.auxtrace_error && has_aux_errors(reader));
  replay_options.unwind = !options.hide_chains;
  replay_options.max_stack = options.max_stack;
  replay_options.stitch_branches = options.stitch_lbr;
  replay_options.accessing = options.accessing;
  script::ScriptSink sink(**interpreter, answers, reader.evlist(), formats);
  sink.set_names([&] { return event_names(reader); });
  sink.set_switch(gate);
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(sink);
  if (!sink.stopped() || (*interpreter)->ended().interrupted) (*interpreter)->finish();
  const script::Ended ended = (*interpreter)->ended();
  interpreter->reset();  // it writes out what it still has
  warn_about_losses(call, replay.account(), reader.account());
  if (!outcome) return std::unexpected(outcome.error());
  return say_end(ended, spec->file, call);
}

}  // namespace peregrine::cmd
