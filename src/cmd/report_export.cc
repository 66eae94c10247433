#include "cmd/report_export.h"

#include <algorithm>

#include "cmd/rows_writer.h"

namespace peregrine::cmd {

Result<int> export_rows(const ReportOptions& options, const Plan& plan, const data::Reader& reader, const Hists& hists,
                        Naming& naming, Invocation& call) {
  const auto uses = [&](SortKey key) { return std::ranges::find(plan.columns.keys, key) != plan.columns.keys.end(); };
  const FaceTable faces(hists.frames(), naming,
                        {.dso = uses(SortKey::Dso),
                         .symbol = uses(SortKey::Symbol),
                         .line = uses(SortKey::SourceLine),
                         .file = uses(SortKey::SourceFile),
                         .size = uses(SortKey::SymbolSize)});
  RowsWriter writer(options.format.name, call.out);
  for (const std::vector<u32>& events : plan.tables) {
    if (options.skip_empty && hists.totals(events[0]).samples == 0) continue;
    const RowTable rows(hists, faces, naming,
                        {.events = events,
                         .columns = plan.columns,
                         .children = plan.children,
                         .sort_member = options.group_sort_member,
                         .relative = options.relative,
                         .parallelism_column = plan.by_parallelism ? parallelism_column(plan.columns.keys) : -1,
                         .by_cpumode = plan.by_cpumode});
    NamedRows table{.event = table_name(plan.names, reader.evlist(), events), .size = rows.rows().size()};
    std::vector<std::string> names;
    for (const u32 event : events) {
      names.push_back(plan.names[event]);
      table.samples += hists.totals(event).samples;
      table.period += hists.totals(event).period;
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
