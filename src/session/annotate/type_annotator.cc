#include "session/annotate/type_annotator.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/data_type/type_layout.h"
#include "analysis/hist/row/row_value.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "output/text/annotate/type_page.h"
#include "session/export/rows_writer.h"
#include "session/report/event_tables.h"

namespace peregrine {

namespace {

// The type can be given as "struct foo" or "foo".
bool is_named(std::string_view type, std::string_view wanted) {
  if (wanted.empty() || type == wanted) return true;
  for (const std::string_view keyword : {"struct ", "union ", "enum "})
    if (type.starts_with(keyword) && type.substr(keyword.size()) == wanted) return true;
  return false;
}

// The requested types, hottest first.
std::vector<u32> chosen_types(const TypeRequest& request, const RecordedTypeHits& hits,
                              const std::vector<u32>& events) {
  std::vector<u32> chosen = hits.hottest(events);
  std::erase_if(chosen, [&](u32 index) {
    const TypeHits& type = hits.types[index];
    const double share =
        percent(type.events[events[0]].total, {}, hits.totals[events[0]], {PercentBase::Recording, PercentOf::Period});
    return !is_named(type.name, request.type) || share < request.percent_limit;
  });
  return chosen;
}

// Prints the types that have members, and returns their number.
u64 print_types(const TypeRequest& request, const RecordedTypeHits& hits, const std::vector<u32>& events,
                const std::string& event_name, Sink& out) {
  u64 printed = 0;
  for (const u32 index : chosen_types(request, hits, events)) {
    const TypeHits& type = hits.types[index];
    if (!type.type) continue;
    std::vector<u32> shown = events;
    if (request.skip_empty) std::erase_if(shown, [&](u32 event) { return type.events[event].total.samples == 0; });
    const std::vector<LayoutRow> layout = type_layout(type.type);
    print_type_page(
        out, {.hits = type, .layout = layout, .totals = hits.totals, .events = std::move(shown), .event = event_name},
        request.style);
    ++printed;
  }
  return printed;
}

// "range.low" for a nested member; empty for the type itself.
std::string path_of(const std::vector<LayoutRow>& layout, std::size_t at) {
  std::string path;
  unsigned depth = layout[at].depth + 1;
  for (std::size_t row = at + 1; row-- > 0 && depth > 1;) {
    if (layout[row].depth >= depth) continue;
    depth = layout[row].depth;
    if (depth > 0 && !layout[row].name.empty()) path.insert(0, layout[row].name + (path.empty() ? "" : "."));
  }
  return path;
}

std::vector<std::string> type_columns(const std::vector<u32>& events, const std::vector<std::string>& names) {
  std::vector<std::string> columns{"type", "offset", "size", "member", "member_type"};
  for (const u32 event : events)
    for (const std::string_view name : {"samples", "period", "percent"})
      columns.push_back(events.size() == 1 ? std::string(name) : fmt::format("{}.{}", name, names[event]));
  return columns;
}

// One row for each type, followed by one for each of its members. Groups have columns for each event.
u64 write_types(const TypeRequest& request, const RecordedTypeHits& hits, const std::vector<u32>& events,
                const std::string& event_name, const std::vector<std::string>& names, RowsWriter& writer) {
  std::vector<std::vector<RowValue>> rows;
  NamedRows table{.event = event_name, .names = type_columns(events, names)};
  for (const u32 event : events) {
    table.samples += hits.totals[event].samples;
    table.period += hits.totals[event].period;
  }
  for (const u32 index : chosen_types(request, hits, events)) {
    const TypeHits& type = hits.types[index];
    std::vector<LayoutRow> layout{{.size = type.size, .type = type.name}};
    if (type.type) layout = type_layout(type.type);
    for (std::size_t at = 0; at < layout.size(); ++at) {
      const LayoutRow& row = layout[at];
      std::vector<RowValue>& values =
          rows.emplace_back(std::vector<RowValue>{type.name, row.offset, row.size, path_of(layout, at), row.type});
      for (const u32 event : events) {
        const EventHits& all = type.events[event];
        const Hits part = at == 0 ? all.total : all.between(row.offset, row.offset + row.size);
        values.insert(values.end(),
                      {part.samples, part.period, percent(part, all.total, hits.totals[event], request.style.type)});
      }
    }
  }
  table.size = rows.size();
  table.row = [&](std::size_t at) { return &rows[at]; };
  writer.print(table);
  return rows.size();
}

}  // namespace

u64 print_data_types(const TypeRequest& request, const RecordedTypeHits& hits,
                     const std::vector<std::vector<u32>>& tables, const std::vector<std::string>& names,
                     const data::Evlist& evlist, Sink& out) {
  std::optional<RowsWriter> writer;
  if (!request.format.empty()) {
    writer.emplace(request.format, out);
    for (const std::vector<u32>& events : tables) writer->expect(type_columns(events, names));
  }
  u64 printed = 0;
  for (const std::vector<u32>& events : tables) {
    const std::string event = table_name(names, evlist, events);
    printed += writer ? write_types(request, hits, events, event, names, *writer)
                      : print_types(request, hits, events, event, out);
  }
  if (writer) writer->finish();
  return printed;
}

}  // namespace peregrine
