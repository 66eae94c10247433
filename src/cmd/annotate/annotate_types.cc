// annotate --data-type: types of data that a recording's instructions touch, member by member.
#include <algorithm>
#include <optional>

#include "analysis/annotate/type_hits.h"
#include "cmd/annotate/annotate_options.h"
#include "cmd/export/rows_writer.h"
#include "cmd/report/event_tables.h"
#include "output/text/annotate/type_page.h"
#include "session/event_names.h"

namespace peregrine::cmd {
namespace {

// "struct foo" and "foo" both name it.
bool is_named(std::string_view type, std::string_view wanted) {
  if (wanted.empty() || type == wanted) return true;
  for (const std::string_view keyword : {"struct ", "union ", "enum "})
    if (type.starts_with(keyword) && type.substr(keyword.size()) == wanted) return true;
  return false;
}

// The types of a page that the options want, hottest first.
std::vector<u32> chosen_types(const AnnotateOptions& options, const RecordedTypeHits& hits,
                              const std::vector<u32>& events) {
  std::vector<u32> chosen = hits.hottest(events);
  std::erase_if(chosen, [&](u32 index) {
    const TypeHits& type = hits.types[index];
    const double share =
        percent(type.events[events[0]].total, {}, hits.totals[events[0]], {PercentBase::Recording, PercentOf::Period});
    return !is_named(type.name, options.data_type) || share < options.percent_limit;
  });
  return chosen;
}

// How many were printed: those that have members.
u64 print_types(const AnnotateOptions& options, const RecordedTypeHits& hits, const std::vector<u32>& events,
                const std::string& event_name, Invocation& call) {
  u64 printed = 0;
  for (const u32 index : chosen_types(options, hits, events)) {
    const TypeHits& type = hits.types[index];
    if (!type.type) continue;
    std::vector<u32> shown = events;
    if (options.skip_empty) std::erase_if(shown, [&](u32 event) { return type.events[event].total.samples == 0; });
    const std::vector<LayoutRow> layout = type_layout(type.type);
    print_type_page(
        call.out,
        {.hits = type, .layout = layout, .totals = hits.totals, .events = std::move(shown), .event = event_name},
        annotate_style(options, call.out_is_terminal));
    ++printed;
  }
  return printed;
}

// "range.low" for a member of a member; of the type itself nothing.
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

// A row for each type, then one for each of its members. Of a group, numbers are there for each event.
u64 write_types(const AnnotateOptions& options, const RecordedTypeHits& hits, const std::vector<u32>& events,
                const std::string& event_name, const std::vector<std::string>& names, RowsWriter& writer) {
  std::vector<std::vector<RowValue>> rows;
  NamedRows table{.event = event_name, .names = type_columns(events, names)};
  for (const u32 event : events) {
    table.samples += hits.totals[event].samples;
    table.period += hits.totals[event].period;
  }
  for (const u32 index : chosen_types(options, hits, events)) {
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
                      {part.samples, part.period, percent(part, all.total, hits.totals[event], options.percent_type)});
      }
    }
  }
  table.size = rows.size();
  table.row = [&](std::size_t at) { return &rows[at]; };
  writer.print(table);
  return rows.size();
}

}  // namespace

Result<int> annotate_types(const AnnotateOptions& options, OpenedRecording& reader, ReplayOptions replay_options,
                           Invocation& call) {
  std::optional<RowsWriter> writer;
  if (!options.format.name.empty()) {
    if (options.type_counts || options.instruction_counts)
      return fail(ErrorKind::Usage, "--format {} writes types of data, not --type-stat and --insn-stat",
                  options.format.name);
    writer.emplace(options.format.name, call.out);
  }
  Machine machine(symbol_places(options.symbols, call, reader));
  DataTypeTable table(machine.dsos());
  std::unordered_set<std::string> dsos;
  for (std::string& word : split_words(options.dsos)) dsos.insert(std::move(word));
  TypeHitCollector collector(table, std::move(dsos), options.instruction_counts);
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(collector);
  warn_about_losses(call, replay.account(), reader.account());
  const RecordedTypeHits hits = collector.hits(reader.evlist().size());
  if (hits.samples() == 0) return say_nothing_found(options, false, call);
  if (options.type_counts) print_type_counts(call.out, hits);
  if (options.instruction_counts) print_instruction_counts(call.out, hits);
  if (options.by_type) {
    const std::vector<std::string> names = event_names(reader);
    u64 printed = 0;
    const auto tables = event_tables(reader.evlist(), options.group, options.group_given);
    if (writer)
      for (const std::vector<u32>& events : tables) writer->expect(type_columns(events, names));
    for (const std::vector<u32>& events : tables) {
      const std::string event = table_name(names, reader.evlist(), events);
      printed += writer ? write_types(options, hits, events, event, names, *writer)
                        : print_types(options, hits, events, event, call);
    }
    if (writer) writer->finish();
    if (printed == 0 && !options.data_type.empty())
      call.messages.note(fmt::format("no sample touches data of type {}", options.data_type),
                         fmt::format("see the types with: {} report -s type", call.messages.program()));
    if (!options.type_counts && !options.instruction_counts)
      if (const std::string text = unknown_types_text(hits.unknown, hits.samples()); !text.empty())
        call.messages.warning(text);
  }
  if (!outcome) return std::unexpected(outcome.error());
  return 0;
}

}  // namespace peregrine::cmd
