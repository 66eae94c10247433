// stat --json-lines: a stable machine format: one JSON object per line, each with a "type"; docs/formats.md has the
// schema and what its version promises.
//
//   start ─▶ count … (or metrics …, port …), distribution …; repeated per interval with -I ─▶ end
//
// Unlike -j with linux-perf's keys, numbers are numbers, and all objects of a type have the same keys; null means
// unknown or not applicable.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "analysis/stat/port_traffic.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/stat_versus.h"
#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

inline constexpr unsigned kStatLinesVersion = 1;

struct StatLinesStart {
  std::string_view creator;  // "peregrine 0.1.0"
  std::string_view target;   // "'true'"
  u64 interval_ns = 0;       // 0: none
};
struct StatLinesEnd {
  std::optional<u64> runs;                   // empty: no event was counted
  std::optional<double> elapsed_ns;          // mean over runs
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
