#include "cmd/report_export.h"

#include <utility>

#include "analysis/hist/block_rows.h"
#include "analysis/hist/face_keys.h"
#include "cmd/rows_writer.h"

namespace peregrine::cmd {

namespace {

void print_blocks(RowsWriter& writer, NamedRows& table, const RowTable& rows, double least) {
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

}  // namespace

Result<int> export_rows(const ReportOptions& options, const Plan& plan, const data::Reader& reader, const Hists& hists,
                        Naming& naming, Invocation& call) {
  const FaceTable faces(hists.frames(), naming, face_keys(plan.columns.keys));
  RowsWriter writer(options.format.name, call.out);
  for (const std::vector<u32>& events : plan.tables) {
    if (options.skip_empty && hists.totals(events[0]).samples == 0) continue;
    RowRequest request = row_request(options, plan, events);
    request.with_chains = false;
    const RowTable rows(hists, faces, naming, std::move(request));
    NamedRows table{.event = table_name(plan.names, reader.evlist(), events), .size = rows.rows().size()};
    std::vector<std::string> names;
    for (const u32 event : events) {
      names.push_back(plan.names[event]);
      table.samples += hists.totals(event).samples;
      table.period += hists.totals(event).period;
    }
    if (plan.blocks) {
      print_blocks(writer, table, rows, options.percent_limit);
      continue;
    }
    RowValues values(rows, names);
    table.names = values.names();
    table.row = [&](std::size_t at) -> const std::vector<RowValue>* {
      const Row& row = rows.rows()[at];
      const StringId symbol = rows.frame_look(row).symbol;
      const bool found =
          options.symbol_filter.empty() || (symbol.valid() && faces.text(symbol).contains(options.symbol_filter));
      return found && values.percent(row) >= options.percent_limit ? &values.of(row) : nullptr;
    };
    writer.print(table);
  }
  writer.finish();
  return 0;
}

}  // namespace peregrine::cmd
