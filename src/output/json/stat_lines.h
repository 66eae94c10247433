// stat --json-lines: a stable form of what `stat` prints: one JSON object per line, each with a "type"; the schema and
// what its version promises are in docs/formats.md.
//
//   start ─▶ count … (or metrics …, port …), distribution …; with -I again for each interval ─▶ end
//
// Unlike -j, whose keys are linux-perf's: numbers are numbers, and every object of a type has all of its keys; null is
// what is not known, or does not apply.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "analysis/stat/port_traffic.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/stat_versus.h"
#include "analysis/stat/value_distribution.h"
#include "output/sink.h"

namespace peregrine {

inline constexpr unsigned kStatLinesVersion = 1;

struct StatLinesStart {
  std::string_view creator;  // "peregrine 0.1.0"
  std::string_view target;   // "'true'"
  u64 interval_ns = 0;       // 0: none
};
struct StatLinesEnd {
  std::optional<u64> runs;                   // nothing: no event was counted
  std::optional<double> elapsed_ns;          // the mean of the runs
  std::optional<double> user_ns, system_ns;  // of the command
};

void print_stat_start_line(const StatLinesStart& start, Sink& out);
// `time_ns`: since the start, with -I.
void print_stat_count_lines(const StatTable& table, std::span<const StatRow> rows, std::optional<u64> time_ns,
                            Sink& out);
// --metric-only.
void print_stat_metric_lines(const StatTable& table, std::span<const StatRow> rows, std::optional<u64> time_ns,
                             Sink& out);
void print_stat_port_lines(std::span<const PortTraffic> traffic, std::optional<u64> time_ns, Sink& out);
void print_stat_distribution_line(const ValueDistribution& distribution, std::optional<u64> time_ns, Sink& out);
void print_stat_comparison_lines(std::span<const VersusRow> rows, Sink& out);
void print_stat_end_line(const StatLinesEnd& end, Sink& out);

}  // namespace peregrine
