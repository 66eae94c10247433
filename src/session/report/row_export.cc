#include "session/report/row_export.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/row/block_rows.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "analysis/hist/row/row_value.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "session/export/rows_writer.h"
#include "session/report/event_tables.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"

namespace peregrine {

namespace {

void export_blocks(RowsWriter& writer, NamedRows& table, const RowTable& rows, double least) {
  const std::vector<BlockRow> blocks = block_rows(rows);
  table.names = {"share", "cycles", "average_share", "average", "runs", "start", "end", "dso"};
  std::vector<RowValue> values;
  table.row = [&](std::size_t at) -> const std::vector<RowValue>* {
    const BlockRow& row = blocks[at];
    if (row.share < least) return nullptr;
    values = {row.share, row.cycles, row.mean_share, row.mean, row.runs, row.start, row.end, std::string(row.dso)};
    return &values;
  };
  writer.print(table);
}

// The sufficiently large nodes of a tree, parents first, each with its parent's index among them.
struct TreeRow {
  u32 node = 0;
  std::optional<std::size_t> parent;
};

void add_nodes(const RowTree& tree, const RowValues& values, double least, u32 node, std::optional<std::size_t> parent,
               std::vector<TreeRow>& rows) {
  if (values.percent(tree.weight(node)) < least) return;
  rows.push_back({node, parent});
  const std::size_t own = rows.size() - 1;
  for (const u32 child : tree.node(node).children) add_nodes(tree, values, least, child, own, rows);
}

// Each row follows its parent and has the parent's index in the table's rows.
void export_tree(RowsWriter& writer, NamedRows& table, const RowTree& tree, RowValues& values, double least) {
  std::vector<TreeRow> rows;
  for (const u32 root : tree.roots()) add_nodes(tree, values, least, root, std::nullopt, rows);
  table.names = {"depth", "parent"};
  table.names.insert(table.names.end(), values.names().begin(), values.names().end());
  table.size = rows.size();
  std::vector<RowValue> shown;
  table.row = [&](std::size_t at) -> const std::vector<RowValue>* {
    const TreeRow& row = rows[at];
    shown = {u64{tree.node(row.node).level}, row.parent ? RowValue(u64{*row.parent}) : RowValue()};
    const std::vector<RowValue>& own = values.of(tree, row.node);
    shown.insert(shown.end(), own.begin(), own.end());
    return &shown;
  };
  writer.print(table);
}

std::vector<std::string> event_names_of(const Plan& plan, const std::vector<u32>& events) {
  std::vector<std::string> names;
  for (const u32 event : events) names.push_back(plan.names[event]);
  return names;
}

std::vector<std::string> column_names(const ReportRequest& request, const RowTable& rows,
                                      const std::vector<std::string>& events) {
  std::vector<std::string> names;
  if (request.grouping.hierarchy) names = {"depth", "parent"};
  const RowValues values(rows, events);
  names.insert(names.end(), values.names().begin(), values.names().end());
  return names;
}

}  // namespace

void export_rows(std::string_view format, ReportSession& session, Sink& out) {
  const ReportRequest& request = session.request();
  const Plan& plan = session.plan();
  const Hists& hists = session.hists();
  Naming& naming = session.naming();
  const FaceTable faces(hists.frames(), naming, face_keys(plan.columns.keys));
  RowsWriter writer(format, out);
  const auto skipped = [&](const std::vector<u32>& events) {
    return request.look.skip_empty && hists.totals(events[0]).samples == 0;
  };
  const auto rows_of = [&](const std::vector<u32>& events) {
    RowRequest rows = row_request(request, plan, events);
    rows.with_chains = false;
    return RowTable(hists, faces, naming, std::move(rows));
  };
  // Columns differ between tables: a group has columns for each of its events, breakdowns for the parts that occur.
  if (writer.wants_names() && plan.tables.size() > 1 && !plan.blocks)
    for (const std::vector<u32>& events : plan.tables)
      if (!skipped(events)) writer.expect(column_names(request, rows_of(events), event_names_of(plan, events)));
  for (const std::vector<u32>& events : plan.tables) {
    if (skipped(events)) continue;
    const RowTable rows = rows_of(events);
    NamedRows table{.event = table_name(plan.names, session.reader().evlist(), events), .size = rows.rows().size()};
    for (const u32 event : events) {
      table.samples += hists.totals(event).samples;
      table.period += hists.totals(event).period;
    }
    if (plan.blocks) {
      export_blocks(writer, table, rows, request.look.percent_limit);
      continue;
    }
    RowValues values(rows, event_names_of(plan, events));
    if (request.grouping.hierarchy) {
      export_tree(writer, table, RowTree(rows, plan.columns.levels), values, request.look.percent_limit);
      continue;
    }
    table.names = values.names();
    table.row = [&](std::size_t at) -> const std::vector<RowValue>* {
      const Row& row = rows.rows()[at];
      const StringId symbol = rows.frame_look(row).symbol;
      const bool found = request.look.symbol_filter.empty() ||
                         (symbol.valid() && faces.text(symbol).contains(request.look.symbol_filter));
      return found && values.percent(row) >= request.look.percent_limit ? &values.of(row) : nullptr;
    };
    writer.print(table);
  }
  writer.finish();
}

}  // namespace peregrine
