// stat's screen, in linux-perf's layout: title, one line per row with its metrics, elapsed times.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct StatTextStyle {
  std::string thousands;           // digit separator, "" for none
  std::optional<u64> interval_ns;  // -I: time since the start, before each row
  bool color = false;              // show values beyond their metric's threshold in red
  bool show_run_table = false;     // --table
};

// " Performance counter stats for 'WHAT' (N runs):" between blank lines. `what` includes quotes: "'true'", "process id
// '1'".
void print_stat_title(std::string_view what, u64 runs, Sink& out);
// The column line of -I.
void print_stat_interval_title(const StatTable& table, Sink& out);
// "     1.002345678": the time of -I.
std::string stat_interval_time(u64 since_start_ns);
// Start of a row: the time of -I and the place.
std::string stat_row_prefix(const StatTable& table, const StatRow& row, std::optional<u64> interval_ns);
void print_stat_rows(const StatTable& table, std::span<const StatRow> rows, const StatTextStyle& style, Sink& out);

// One line per requested metric without value, with the reason: "# no 'of all branches': …".
void print_missing_metrics(std::span<const StatRow> rows, const StatTable& table, Sink& out);

struct StatFooter {
  bool any_event = true;                   // false for -n
  std::optional<double> user_s, system_s;  // of the workload, one run
};
void print_stat_footer(const StatTable& table, const StatFooter& footer, const StatTextStyle& style, Sink& out);

}  // namespace peregrine
