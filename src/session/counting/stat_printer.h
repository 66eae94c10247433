// StatPrinter: prints the tables of a stat session in the requested format: text for people, CSV (-x), JSON (-j) or
// JSON lines.
//
//   start_time? (interval distributions)… total? causes? distributions? finish
//
// One per command. The sink and all tables must outlive it. Main thread only.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "capture/target/workload.h"
#include "event/source.h"
#include "output/csv/stat_csv.h"
#include "output/sink.h"
#include "sys/hardware/io_port.h"

namespace peregrine {

// How counts are shown.
struct StatStyle {
  std::string subject;                   // the counted target, for the title; see stat_subject()
  std::string creator;                   // this program and its version, for JSON lines
  std::optional<std::string> separator;  // CSV
  bool json = false, json_lines = false;
  std::string thousands;     // digit separator, "" for none
  bool color = false;        // text
  bool of_workload = false;  // the command's CPU time is that of the counted target
  bool noise = false;        // rows have a field for the spread over several runs
  bool metric_only = false;  // one line per place
  bool hide_zeros = false;   // hide counts of 0
  bool hides_idle = false;   // likewise for all threads of the machine, most of which counted nothing
  bool run_table = false;    // also show the time of each run
  unsigned interval_ms = 0;  // -I; 0: totals only
  bool summary = false;      // -I: also show totals
  bool no_csv_summary = false, interval_clear = false;
  std::vector<IoPort> ports;  // show port traffic instead of counts
};

class StatPrinter {
 public:
  StatPrinter(StatStyle style, Sink& out) : style_(std::move(style)), out_(out) {}

  void start_time();  // heading of a text or CSV file
  // The counts of one interval, with its end as the time since the start.
  void interval(const StatTable& table, u64 since_start_ns);
  // Explains missing counts, for people only: programs read the remaining lines. `errors`: by event, as
  // StatSession::errors().
  void causes(const StatTable& table, std::span<const int> errors, EventSources& sources);
  void total(const StatTable& table, const std::optional<WorkloadExit>& workload);
  // The last line of --json-lines. `table`: the total, or null.
  void finish(const StatTable* table, const std::optional<WorkloadExit>& workload);
  // --hist. `since_start_ns`: of one interval.
  void distributions(std::span<const ValueDistribution> distributions, std::optional<u64> since_start_ns = {});
  // Writes out everything printed so far. A failure is reported by the sink's next flush.
  void flush() { static_cast<void>(out_.flush()); }

 private:
  bool is_text() const { return !style_.separator && !style_.json; }
  bool of_ports() const { return !style_.ports.empty(); }
  StatCsvStyle csv_style(std::optional<u64> since_start_ns) const;
  void start_lines();
  void ports(const StatTable& table, std::optional<u64> since_start_ns);
  void rows(const StatTable& table, std::optional<u64> since_start_ns);

  StatStyle style_;
  Sink& out_;
  unsigned intervals_ = 0;
  bool lines_started_ = false;
  bool show_titles_ = true;  // of a table of metrics
};

}  // namespace peregrine
