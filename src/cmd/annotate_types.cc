// annotate --data-type: types of data that a recording's instructions touch, member by member.
#include <algorithm>

#include "analysis/annotate/type_hits.h"
#include "cmd/annotate_options.h"
#include "cmd/event_tables.h"
#include "output/text/type_page.h"

namespace peregrine::cmd {
namespace {

// "struct foo" and "foo" both name it.
bool is_named(std::string_view type, std::string_view wanted) {
  if (wanted.empty() || type == wanted) return true;
  for (const std::string_view keyword : {"struct ", "union ", "enum "})
    if (type.starts_with(keyword) && type.substr(keyword.size()) == wanted) return true;
  return false;
}

// How many were printed.
u64 print_types(const AnnotateOptions& options, const RecordedTypeHits& hits, std::vector<u32> events,
                const std::string& event_name, Invocation& call) {
  u64 printed = 0;
  for (const u32 index : hits.hottest(events)) {
    const TypeHits& type = hits.types[index];
    if (!is_named(type.name, options.data_type)) continue;
    const double share =
        percent(type.events[events[0]].total, {}, hits.totals[events[0]], {PercentBase::Recording, PercentOf::Period});
    if (share < options.percent_limit) continue;
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

}  // namespace

Result<int> annotate_types(const AnnotateOptions& options, OpenedRecording& reader, ReplayOptions replay_options,
                           Invocation& call) {
  if (!options.format.name.empty())
    return fail(ErrorKind::Usage, "--format {} does not write types of data: report -s type --format {} does",
                options.format.name, options.format.name);
  Machine machine(symbol_places(options.symbols, call, reader));
  DataTypeTable table(machine.dsos());
  std::unordered_set<std::string> dsos;
  for (std::string& word : split_words(options.dsos)) dsos.insert(std::move(word));
  TypeHitCollector collector(table, std::move(dsos));
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(collector);
  warn_about_losses(call, replay.account(), reader.account());
  const RecordedTypeHits hits = collector.hits(reader.evlist().size());
  if (hits.samples() == 0) return say_nothing_found(options, call);
  if (options.type_counts) print_type_counts(call.out, hits);
  if (options.by_type) {
    const std::vector<std::string> names = event_names(reader);
    u64 printed = 0;
    for (const std::vector<u32>& events : event_tables(reader.evlist(), options.group, options.group_given))
      printed += print_types(options, hits, events, table_name(names, reader.evlist(), events), call);
    if (printed == 0 && !options.data_type.empty())
      call.messages.note(fmt::format("no sample touches data of type {}", options.data_type),
                         fmt::format("see the types with: {} report -s type", call.messages.program()));
    if (!options.type_counts)
      if (const std::string text = unknown_types_text(hits.unknown, hits.samples()); !text.empty())
        call.messages.warning(text);
  }
  if (!outcome) return std::unexpected(outcome.error());
  return 0;
}

}  // namespace peregrine::cmd
