// top: what is hot now, again and again, until it is told to stop.
#include <unistd.h>

#include <algorithm>

#include "cmd/report/browse.h"
#include "cmd/top/top_screen.h"
#include "cmd/top/top_stdio.h"
#include "cmd/top/top_view.h"
#include "output/tui/screen/screen.h"

namespace peregrine::cmd {

namespace {

Result<> settle_options(TopOptions& options, Invocation& call) {
  ReportOptions& report = options.report;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "top observes what runs already: no command is taken");
  if (report.source_prefix_strip && !report.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  if (report.hierarchy && report.fields)
    return fail(ErrorKind::Usage, "--hierarchy and --fields options cannot be used together");
  if (const std::string& style = options.disassembler_style;
      options.objdump.empty() && !style.empty() && style != "att" && style != "intel")
    return fail(ErrorKind::Usage, "-M is att or intel, not `{}'", style);
  if (report.branch_history) {
    if (options.record.config.branch_type == 0) options.record.config.branch_type = abi::branch_bit::Any;
    if (!report.graph.order_given) report.graph.order = ChainOrder::Caller;
    return {};
  }
  const auto traced = [](const EventSpec& event) { return event.is_tracepoint(); };
  if (!report.sort && !report.fields && !std::ranges::all_of(options.record.events, traced)) report.sort = "dso,symbol";
  if (!report.sort && !report.fields && options.record.events.empty()) report.sort = "dso,symbol";
  if (!report.graph.order_given) report.graph.order = ChainOrder::Caller;
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

// The screen where there is one, else text; --tui wants the screen, and to be told where there is none.
Result<> show(TopView& view, TopOptions& options, Invocation& call) {
  if (!options.report.stdio && has_screen(call)) {
    Result<> shown = show_top(view, options, call);
    if (shown || options.report.tui || shown.error().kind != ErrorKind::Unsupported) return shown;
    call.messages.note(shown.error().message, shown.error().hint);
  }
  return TopStdio(view, options, call).run();
}

}  // namespace

Result<int> top(TopOptions& options, Invocation& call) {
  PEREGRINE_TRY(settle_options(options, call));
  const tui::ResizeHold hold;
  auto view = open_top_view(options, call);
  if (!view) return std::unexpected(std::move(view.error()));
  const Result<> shown = show(**view, options, call);
  const Result<> stopped = (*view)->profile->stop();
  if (options.dump_symbols) dump_symbols((*view)->profile->machine().dsos(), call.messages);
  PEREGRINE_TRY(shown);
  PEREGRINE_TRY(stopped);
  return 0;
}

}  // namespace peregrine::cmd
