// top: what is hot right now, refreshed until stopped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "analysis/annotate/symbol_listings.h"
#include "analysis/hist/row/row_table.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/message.h"
#include "cmd/events/event_sources.h"
#include "cmd/record/record_options.h"
#include "cmd/recording/recording.h"
#include "cmd/report/browse.h"
#include "cmd/report/report_options.h"
#include "cmd/script/script_places.h"
#include "cmd/top/top_options.h"
#include "event/spec.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "output/tui/screen/screen.h"
#include "session/live/live_profile.h"
#include "session/live/live_screen.h"
#include "session/live/live_source.h"
#include "session/live/live_text.h"
#include "session/live/live_view.h"
#include "session/recording/opened_recording.h"

namespace peregrine::cmd {

namespace {

Result<> complete(TopOptions& options, Invocation& call) {
  ReportOptions& report = options.report;
  report = report.settled(call.config);
  options.settings.least_percent = report.request.look.percent_limit;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "top does not take a command; use record, or top -p PID");
  if (report.source_prefix_strip && !report.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  if (report.request.grouping.hierarchy && report.request.grouping.fields)
    return fail(ErrorKind::Usage, "--hierarchy and --fields options cannot be used together");
  if (const std::string& style = options.disassembler_style;
      options.objdump.empty() && !style.empty() && style != "att" && style != "intel")
    return fail(ErrorKind::Usage, "invalid -M '{}': must be att or intel", style);
  if (report.request.chains.branch_history) {
    if (options.record.fields().branch_type == 0) options.record.fields().branch_type = abi::branch_bit::Any;
    if (!report.request.chains.graph.order_given) report.request.chains.graph.order = ChainOrder::Caller;
    return {};
  }
  const auto traced = [](const EventSpec& event) { return event.is_tracepoint(); };
  if (!report.request.grouping.sort && !report.request.grouping.fields &&
      !std::ranges::all_of(options.record.events.list(), traced))
    report.request.grouping.sort = "dso,symbol";
  if (!report.request.grouping.sort && !report.request.grouping.fields && options.record.events.list().empty())
    report.request.grouping.sort = "dso,symbol";
  if (!report.request.chains.graph.order_given) report.request.chains.graph.order = ChainOrder::Caller;
  return {};
}

void dump_symbols(const DsoTable& dsos, Messages& messages) {
  std::string text;
  for (u32 id = 0; id < dsos.size(); ++id) {
    const Dso& dso = dsos.at(DsoId(id));
    text += fmt::format("{}{}{}\n", dso.name, dso.build_id.empty() ? "" : " ", dso.build_id.hex());
  }
  messages.verbatim(text);
}

// The style of annotated code.
ListingRequest listing_request(const TopOptions& options) {
  return {.syntax = options.disassembler_style == "intel" && options.objdump.empty() ? Syntax::Intel : Syntax::Att,
          .objdump = options.objdump,
          .objdump_style = options.disassembler_style,
          .places = {options.report.symbols.sysroot().folder, options.report.source_prefix,
                     options.report.source_prefix_strip.value_or(0)},
          .source = options.source};
}

// Uses the screen if possible, otherwise text. With --tui, the screen is required; otherwise a note says why it is not
// used.
Result<> show(LiveView& view, const TopOptions& options, Invocation& call) {
  if (!options.report.stdio && has_screen(call)) {
    auto screen = tui::open_screen(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)});
    if (screen) {
      show_live_screen(view, options.settings, **screen);
      return {};
    }
    if (options.report.tui || screen.error().kind != ErrorKind::Unsupported)
      return std::unexpected(std::move(screen.error()));
    call.messages.note(screen.error().message, screen.error().hint);
  }
  const LiveText::Terminal terminal{.keys = STDIN_FILENO, .screen = STDOUT_FILENO, .clears = call.out_is_terminal};
  return LiveText(view, options.settings, terminal, call.out).run();
}

// Starts collecting.
Result<> start(LiveView& view, const TopOptions& options, OpenedRecording& recording, Invocation& call) {
  const auto event_switch = make_event_switch(options.report.switching, view.plan().names, call);
  if (!event_switch) return fail(ErrorKind::NotFound, "--switch-on, --switch-off: no such event is sampled");
  return view.start(symbol_places(options.report.symbols, call, recording), *event_switch, options.settings);
}

}  // namespace

Result<int> top(TopOptions& options, Invocation& call) {
  PEREGRINE_TRY(complete(options, call));
  const tui::ResizeHold hold;
  RecordCommandOptions& record = options.record;
  tell_problems(record.events.sources(), call.messages);
  describe_program(record.request, call);
  auto source = open_live_source(record.request, record.events.sources(), record.events.take(), call.messages);
  if (!source) return std::unexpected(std::move(source.error()));
  OpenedRecording recording(std::move(source->reader));
  auto view = LiveView::make(std::move(source->session), recording,
                             {.target = record.request.target,
                              .cpus = source->cpus,
                              .report = options.report.request,
                              .listing = listing_request(options),
                              .code_bytes = options.code_bytes});
  if (!view) return std::unexpected(std::move(view.error()));
  PEREGRINE_TRY(start(**view, options, recording, call));
  const Result<> shown = show(**view, options, call);
  LiveProfile& profile = (*view)->profile();
  const Result<> stopped = profile.stop();
  if (options.dump_symbols) dump_symbols(profile.machine().dsos(), call.messages);
  PEREGRINE_TRY(shown);
  PEREGRINE_TRY(stopped);
  return 0;
}

}  // namespace peregrine::cmd
