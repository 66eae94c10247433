#include "session/counting/recorded_counts.h"

#include <fmt/format.h>

#include <expected>
#include <utility>
#include <vector>

#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "capture/counter.h"
#include "event/spec.h"
#include "output/text/format/printable.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

Result<StatLayout> recorded_layout(const StatReader& reader, std::optional<StatAggregation> aggregation) {
  const std::string& version = reader.header().features.version.value_or("");
  const StatAggregation recorded = aggregation_of(reader.aggregation(), version);
  StatLayout layout{.aggregation = aggregation.value_or(recorded), .scale = reader.scale()};
  const CpuList& cpus = reader.cpus();
  const bool of_cpus = !cpus.empty() && cpus.front() >= 0 && cpus.front() != 0xffff;
  if (is_by_cpu(layout.aggregation) && !of_cpus) {
    return std::unexpected(Error{ErrorKind::Usage, "the counts were recorded per thread, not per CPU"}.with_hint(
        "'stat record -a' counts per CPU; without an option, counts are summed as recorded"));
  }
  if (layout.aggregation == StatAggregation::Thread) {
    layout.places.clear();
    for (const RecordedThread& thread : reader.threads()) {
      const std::string comm = printable(thread.comm), label = fmt::format("{}-{}", comm, thread.thread);
      layout.places.push_back({.label = label, .name = label, .cpus = {}, .thread = thread.thread, .comm = comm});
    }
  } else if (is_by_cpu(layout.aggregation)) {
    layout.places = cpu_places(layout.aggregation, cpus, recorded_arrangement(reader.header().features));
  }
  return layout;
}

std::string recorded_command(const StatReader& reader) {
  std::string words;
  for (const std::string& word : reader.header().features.cmdline.value_or(std::vector<std::string>{}))
    words += (words.empty() ? "" : " ") + word;
  return fmt::format("'{}'", printable(words));
}

Result<> print_recorded_counts(StatReader& reader, const StatLayout& layout, StatPrinter& printer) {
  EventList events = reader.events();
  for (EventSpec& spec : events) {
    spec.name = printable(spec.name);
    spec.unit = printable(spec.unit);
  }
  std::vector<CounterReading> before;
  std::optional<StatTable> total;
  for (;;) {
    auto round = reader.next();
    if (!round) return std::unexpected(std::move(round.error()));
    if (!*round) break;
    if (reader.interval_ms() != 0 && !(*round)->last) {
      StatTable table(events, reader.supported(), layout);
      table.add_run(readings_since((*round)->readings, before), {.wall_ns = reader.interval_ms() * 1'000'000});
      printer.interval(table, (*round)->since_start_ns);
      before = (*round)->readings;
    } else {
      total.emplace(events, reader.supported(), layout);
      total->add_run((*round)->readings, {.wall_ns = (*round)->since_start_ns});
    }
  }
  if (total) printer.total(*total, std::nullopt);
  printer.finish(total ? &*total : nullptr, std::nullopt);
  return {};
}

}  // namespace peregrine
