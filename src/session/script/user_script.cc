#include "session/script/user_script.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <system_error>
#include <utility>

#include "abi/attr.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/recorded_arch.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "pipeline/replay/recorded_formats.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/generate.h"
#include "script/replay_answers.h"
#include "script/script_sink.h"
#include "session/event_names.h"
#include "session/recording/losses.h"
#include "session/script/selecting_sink.h"

namespace peregrine {

namespace {

// The exit code.
int tell_ending(const script::Ended& ended, const std::string& file, SessionListener& listener) {
  if (ended.broken_file) listener.verbatim(fmt::format("Error running script {}\n", file));
  return ended.code;
}

bool may_have_trace_errors(const data::Reader& reader) {
  return reader.header().has(data::FeatureId::Auxtrace) || reader.header().layout == data::Layout::Pipe;
}

TraceFormats formats_or_none(const data::Reader& reader) {
  auto recorded = recorded_formats(reader);
  return recorded ? std::move(*recorded) : TraceFormats();
}

}  // namespace

std::string script_obstacle(const std::string& file) {
  const auto opened = open_and_judge(file, {});
  if (!opened) return std::error_code(opened.error().system_errno, std::generic_category()).message();
  return opened->fault == FileFault::None ? "" : "not a regular file";
}

Result<int> run_user_script(const UserScriptRequest& request, ScriptedSamples samples, SessionListener& listener) {
  data::Reader& reader = samples.reader;
  const auto selection = SelectingSink::make(samples.conditions, reader);
  if (!selection) return std::unexpected(selection.error());
  Machine machine(std::move(samples.places));
  SourceTable sources(machine.dsos(), true);
  const TraceFormats formats = formats_or_none(reader);
  script::ReplayAnswers answers(machine.dsos(), sources, data::recorded_arch(reader.header().features),
                                request.stacks.max_stack, request.setting);
  script::Setup setup{.file = request.file,
                      .arguments = {request.file},
                      .order = reader.evlist().order(),
                      .max_stack = request.stacks.max_stack,
                      .answers = answers};
  setup.arguments.insert(setup.arguments.end(), request.arguments.begin(), request.arguments.end());
  auto interpreter = script::load_interpreter(request.plugins, request.language, setup);
  if (!interpreter) return std::unexpected(std::move(interpreter.error()));
  if (!(*interpreter)->start()) return tell_ending((*interpreter)->ended(), request.file, listener);

  const script::Hooks hooks = (*interpreter)->hooks();
  ReplayOptions options;
  options.workers = 1;
  options.shown = script::ScriptSink::shown(hooks);
  options.filter = std::move(samples.filter);
  options.every_record = hooks.counts || (hooks.auxtrace_error && may_have_trace_errors(reader));
  request.stacks.apply(options);
  script::ScriptSink sink(**interpreter, answers, reader.evlist(), formats);
  sink.set_names([&] { return event_names(reader); });
  sink.set_switch(samples.gate);
  ReplaySink& first = selected(*selection, sink, options);
  Replay replay(reader, machine, std::move(options));
  const Result<> outcome = replay.run(first);
  if (!sink.stopped() || (*interpreter)->ended().interrupted) (*interpreter)->finish();
  const script::Ended ended = (*interpreter)->ended();
  interpreter->reset();  // flushes the rest of its output
  warn_about_losses(listener, replay.account(), reader.account());
  if (!outcome) return std::unexpected(outcome.error());
  return tell_ending(ended, request.file, listener);
}

std::string starter_script(script::Language language, const data::Reader& reader) {
  const TraceFormats formats = formats_or_none(reader);
  const std::vector<std::string> names = event_names(reader);
  std::vector<script::EventPlan> events;
  for (std::size_t i = 0; i < reader.evlist().size(); ++i) {
    const data::Event& event = reader.evlist()[i];
    if (event.attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    events.push_back(script::plan_event(event, names[i], formats.format(event.attr.config),
                                        formats.print_format(event.attr.config)));
  }
  return language == script::Language::Python ? script::python_script(events) : script::perl_script(events);
}

}  // namespace peregrine
