#include "cmd/script/script_export.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/version.h"
#include "cmd/recording/recording.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "session/recording/opened_recording.h"
#include "session/script/script_profile.h"

namespace peregrine::cmd {

namespace {

// Options for the text of samples, which have no effect here.
Result<> check_options(const ScriptOptions& options) {
  const std::pair<bool, std::string_view> textual[] = {
      {!options.lines.stop_at.empty(), "--stop-bt"}, {options.lines.address_range.has_value(), "--addr-range"},
      {options.per_event, "--per-event-dump"},       {options.lines.dumps(), "-D"},
      {!options.dlfilter.empty(), "--dlfilter"},     {options.lines.check_order, "-d"},
      {options.lines.relative, "--reltime"},         {options.lines.delta, "--deltatime"},
  };
  for (const auto& [given, name] : textual)
    if (given) return fail(ErrorKind::Usage, "--format {} cannot be combined with {}", options.format.name, name);
  return {};
}

}  // namespace

Result<int> export_script(ScriptOptions& options, SampleFilter filter, const EventSwitch& gate, OpenedRecording& reader,
                          Invocation& call) {
  PEREGRINE_TRY(check_options(options));
  options.symbols.parameters = options.verbose > 0;
  options.symbols.stripped_functions = true;
  const std::string& file = options.format.output;
  PEREGRINE_TRY(write_script_profile({.format = options.format,
                                      .stacks = options.lines.stacks,
                                      .symbols = options.lines.symbols,
                                      .dsos = options.lines.dsos,
                                      .inlined = options.lines.inlined.value_or(true),
                                      .file = file == "-" ? std::string() : file},
                                     {.reader = reader,
                                      .filter = std::move(filter),
                                      .gate = gate,
                                      .places = symbol_places(options.symbols, call, reader),
                                      .conditions = options.summary.report},
                                     {call.out, call.out_is_terminal, creator_name()}, call.messages));
  return 0;
}

}  // namespace peregrine::cmd
