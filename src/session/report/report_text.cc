#include "session/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/quality/missing_names.h"
#include "analysis/hist/quality/name_coverage.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "output/text/format/printable.h"
#include "output/text/report/block_table.h"
#include "output/text/report/report_page.h"
#include "output/text/report/report_table.h"
#include "output/text/report/report_tree.h"
#include "pipeline/replay/account.h"
#include "session/export/stack_advice.h"
#include "session/report/event_tables.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"

namespace peregrine {

namespace {

TableText table_style(const ReportRequest& request, const Plan& plan) {
  TableText style;
  style.widths = parse_widths(request.look.column_widths);
  style.separator = request.look.separator == "\\t" ? "\t" : request.look.separator;
  style.least_percent = request.look.percent_limit;
  style.titles = !request.look.quiet;
  style.hidden = plan.hidden;
  style.symbol_filter = request.look.symbol_filter;
  style.colors = request.look.colors;
  style.graphs = plan.graphs;
  style.graph = plan.graph;
  style.branch_sums = request.chains.branch_history && plan.histories;
  style.symbol_leads = !request.grouping.fields && request.grouping.sort && request.grouping.sort->starts_with("sym");
  return style;
}

class ReportText {
 public:
  ReportText(ReportSession& session, Sink& out)
      : request_(session.request()),
        plan_(session.plan()),
        reader_(session.reader()),
        hists_(session.hists()),
        naming_(session.naming()),
        out_(out),
        faces_(hists_.frames(), naming_, face_keys(plan_.columns.keys)) {}

  void print(u64 lost_samples, std::string_view tip) {
    print_filters(out_, plan_.single);
    if (!request_.look.quiet) print_preamble(out_, lost_samples);
    for (const std::vector<u32>& events : plan_.tables) {
      if (request_.look.skip_empty && hists_.totals(events[0]).samples == 0) continue;
      print_one(events);
    }
    if (!request_.look.quiet) print_tip(out_, tip);
  }

 private:
  // linux-perf says "events" for a leader even if its group is shown separately.
  bool leads(u32 event) const {
    const data::Evlist& evlist = reader_.evlist();
    if (has_groups(evlist)) return evlist[event].leader == event && evlist[event].members > 1;
    return request_.grouping.group_given && event == 0 && evlist.size() > 1;
  }
  // A tracepoint's field is not a column of other events.
  void hide_other_fields(TableText& style, const std::vector<u32>& events) const {
    for (std::size_t at = 0; at < plan_.columns.fields.size(); ++at)
      if (std::ranges::find(events, plan_.columns.fields[at].event) == events.end())
        style.hidden.push_back(dynamic_key(at));
  }
  std::vector<std::vector<SortKey>> shown_levels(const TableText& style) const {
    std::vector<std::vector<SortKey>> levels = plan_.columns.levels;
    const auto hidden = [&](SortKey key) {
      return is_dynamic(key) && std::ranges::find(style.hidden, key) != style.hidden.end();
    };
    for (std::vector<SortKey>& level : levels) std::erase_if(level, hidden);
    std::erase_if(levels, [](const std::vector<SortKey>& level) { return level.empty(); });
    return levels;
  }
  void print_one(const std::vector<u32>& events) {
    if (!request_.look.quiet) {
      EventHeading heading{.name = table_name(plan_.names, reader_.evlist(), events), .group = leads(events[0])};
      for (const u32 event : events) {
        const EventTotals totals = hists_.totals(event);
        heading.samples += request_.grouping.relative ? totals.shown_samples : totals.samples;
        heading.period += request_.grouping.relative ? totals.shown_period : totals.period;
      }
      if (request_.grouping.memory) heading.weighted_by = plan_.sort_order;
      if (request_.selection.socket >= 0) heading.socket = request_.selection.socket;
      if (!request_.selection.times.empty())
        heading.remark = fmt::format(" (time slices: {})", request_.selection.times);
      if (request_.look.show_reference && heading.name.contains("call-graph=no"))
        heading.remark += ", show reference callgraph";
      print_event_heading(out_, heading);
    }
    const RowTable table(hists_, faces_, naming_, row_request(request_, plan_, events));
    TableText style = table_style(request_, plan_);
    hide_other_fields(style, events);
    if (plan_.blocks) {
      print_blocks(out_, table, style);
      return;
    }
    if (request_.grouping.hierarchy)
      print_tree(out_, RowTree(table, shown_levels(style)), style);
    else
      print_table(out_, table, style);
    out_.append("\n\n");
  }

  const ReportRequest& request_;
  const Plan& plan_;
  const data::Reader& reader_;
  const Hists& hists_;
  Naming& naming_;
  Sink& out_;
  FaceTable faces_;
};

}  // namespace

void print_report(ReportSession& session, u64 lost_samples, std::string_view tip, Sink& out) {
  ReportText(session, out).print(lost_samples, tip);
}

// Data missing from the recording comes first, on a single line.
std::string choose_tip(const Plan& plan, const data::Evlist& evlist, const Hists& hists, const DsoTable& dsos) {
  std::string missing = sum_up_missing_names(dsos, name_coverage_of(hists, dsos));
  const std::string stacks = plan.chains ? stack_advice(evlist, plan.names, hists, dsos) : std::string();
  if (!missing.empty() && !stacks.empty()) missing += "; ";
  missing += stacks;
  if (!missing.empty()) return printable(missing);
  if (!plan.chains) return "To see who calls what, record with call chains: perf record -g";
  return "To see everything at once, draw a flame graph: perf report --flamegraph flame.svg";
}

void print_record_stats(const std::vector<std::string>& names, const data::Header& header, bool skip_empty,
                        const ReplayAccount& account, const std::vector<u64>& samples, Sink& out) {
  std::vector<EventCounts> events;
  for (u32 event = 0; event < names.size(); ++event) {
    const u64 lost = event < account.events.size() ? account.events[event].lost_samples : 0;
    if (samples[event] != 0 || !skip_empty) events.push_back({names[event], samples[event], lost});
  }
  print_stats(out, account.records, events, header.has(data::FeatureId::Auxtrace));
}

void print_threads(const std::vector<std::string>& names, const std::vector<ThreadRead>& reads, Sink& out) {
  std::vector<u32> events;
  std::vector<ThreadCounts> threads;
  for (const ThreadRead& read : reads)
    if (std::ranges::find(events, read.event) == events.end()) events.push_back(read.event);
  for (const ThreadRead& read : reads) {
    auto thread =
        std::ranges::find_if(threads, [&](const ThreadCounts& t) { return t.pid == read.pid && t.tid == read.tid; });
    if (thread == threads.end()) {
      threads.push_back({read.pid, read.tid, std::vector<u64>(events.size())});
      thread = threads.end() - 1;
    }
    thread->values[static_cast<std::size_t>(std::ranges::find(events, read.event) - events.begin())] += read.value;
  }
  std::vector<std::string> shown;
  for (const u32 event : events) shown.push_back(event < names.size() ? names[event] : "unknown");
  print_thread_counts(out, shown, threads);
}

std::vector<SymbolsRow> symbols_rows(const Hists& hists, const DsoTable& dsos) {
  std::vector<SymbolsRow> rows;
  for (const DsoHits& hits : name_coverage_of(hists, dsos).dsos) {
    MissingNames missing = explain_missing_names(dsos, hits);
    SymbolsRow row{.samples = hits.samples, .unnamed = hits.unnamed, .why = std::move(missing.why)};
    row.remedy = std::move(missing.remedy);
    row.dso = hits.dso == HistFrame::kNone ? "[unknown]" : dsos.at(DsoId(hits.dso)).name;
    if (hits.dso != HistFrame::kNone) {
      row.build_id = dsos.at(DsoId(hits.dso)).build_id.hex();
      row.tried = dsos.tried(DsoId(hits.dso));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<u64> samples_of_events(const Hists& hists, std::size_t events) {
  std::vector<u64> samples;
  for (u32 event = 0; event < events; ++event) samples.push_back(hists.totals(event).samples);
  return samples;
}

}  // namespace peregrine
