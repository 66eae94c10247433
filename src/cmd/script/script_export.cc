#include "cmd/script/script_export.h"

#include "cmd/export/profile_export.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

// Options that are about the text of samples, and would be passed over here.
Result<> check_options(const ScriptOptions& options) {
  const std::pair<bool, std::string_view> textual[] = {
      {!options.stop_at.empty(), "--stop-bt"},   {options.address_range.has_value(), "--addr-range"},
      {options.per_event, "--per-event-dump"},   {options.dump || options.dump_unsorted, "-D"},
      {!options.dlfilter.empty(), "--dlfilter"}, {options.check_order, "-d"},
      {options.relative, "--reltime"},           {options.delta, "--deltatime"},
  };
  for (const auto& [given, name] : textual)
    if (given) return fail(ErrorKind::Usage, "--format {} does not go with {}", options.format.name, name);
  return {};
}

}  // namespace

Result<int> export_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                          Invocation& call) {
  PEREGRINE_TRY(check_options(options));
  options.symbols.parameters = options.verbose > 0;
  options.symbols.stripped_functions = true;
  Machine machine(symbol_places(options.symbols, call, reader));
  SourceTable sources(machine.dsos(), true);
  PEREGRINE_TRY(check_times(options.format, reader.evlist()));
  const bool timed = options.format.is_timed() || (options.format.name == "speedscope" && has_times(reader.evlist()));
  CollectRequest request;
  request.sources = &sources;
  request.inlined = options.inlined.value_or(true);
  request.max_stack = options.max_stack;
  request.event_switch = gate;
  for (std::string& word : split_words(options.dso_list)) request.filter.dsos.insert(std::move(word));
  for (std::string& word : split_words(options.symbol_list)) request.filter.symbols.insert(std::move(word));
  TraceTexts traces(reader, false);
  ask_for_profile(options.format, timed, reader.evlist(), traces, request);
  request.chains = !options.hide_chains;
  auto collector = HistCollector::make(std::move(request));
  if (!collector) return std::unexpected(std::move(collector.error()));
  ReplayOptions replay_options;
  replay_options.filter = std::move(filter);
  replay_options.unwind = !options.hide_chains;
  replay_options.max_stack = options.max_stack;
  replay_options.stitch_branches = options.stitch_lbr;
  replay_options.accessing = options.accessing;
  if (gate.any()) replay_options.workers = 1;
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(**collector);
  warn_about_losses(call, replay.account(), reader.account());
  const Hists hists = (*collector)->finish();
  auto written = write_profile(options.format, {hists, machine, sources, reader, traces, timed}, call);
  sources.keep_answers();
  if (!outcome) return std::unexpected(outcome.error());
  return written;
}

}  // namespace peregrine::cmd
