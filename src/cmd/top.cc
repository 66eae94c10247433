// top: what is hot now, again and again, until it is told to stop.
#include <unistd.h>

#include <algorithm>

#include "cmd/live_view.h"
#include "cmd/top_stdio.h"

namespace peregrine::cmd {

namespace {

Result<> settle_options(TopOptions& options, Invocation& call) {
  ReportOptions& report = options.report;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "top observes what runs already: no command is taken");
  if (report.source_prefix_strip && !report.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  if (report.hierarchy && report.fields)
    return fail(ErrorKind::Usage, "--hierarchy and --fields options cannot be used together");
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

}  // namespace

Result<int> top(TopOptions& options, Invocation& call) {
  PEREGRINE_TRY(settle_options(options, call));
  auto view = LiveView::open(options, call);
  if (!view) return std::unexpected(std::move(view.error()));
  const Result<> shown = TopStdio(**view, options, call).run();
  const Result<> stopped = (*view)->stop();
  if (options.dump_symbols) dump_symbols((*view)->machine().dsos(), call.messages);
  PEREGRINE_TRY(shown);
  PEREGRINE_TRY(stopped);
  return 0;
}

}  // namespace peregrine::cmd
