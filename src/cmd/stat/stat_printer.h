// StatPrinter: prints the tables of a stat session to their destination in the requested format: for people, -x or
// -j.
//
// One per command; everything passed to it must outlive it. Main thread only.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "analysis/stat/stat_table.h"
#include "analysis/stat/value_distribution.h"
#include "base/fd.h"
#include "capture/target/workload.h"
#include "cli/frame/command.h"
#include "cli/frame/csv_guard.h"
#include "cmd/stat/stat_options.h"
#include "output/csv/stat_csv.h"

namespace peregrine::cmd {

// Where counts go: stderr, a file, or a descriptor that was handed to us.
class StatDestination {
 public:
  // Errors: a file that cannot be made, a descriptor that is not open.
  static Result<StatDestination> open(const StatRequest& request);
  int fd() const { return guard_ ? guard_->fd() : fd_; }
  bool is_file() const { return static_cast<bool>(file_); }

 private:
  static Result<StatDestination> guard(StatDestination to, const StatRequest& request);

  Fd file_;
  int fd_ = 2;
  std::unique_ptr<Sink> guarded_;    // with --csv-safe
  std::unique_ptr<CsvGuard> guard_;  // in front of it
};

// "'true'", "'system wide'", "process id '1'": what the title says is counted.
std::string describe_target(const StatRequest& request, const std::vector<std::string>& words);

class StatPrinter {
 public:
  // `target`: for the title. `of_workload`: the times of the command are those of what was counted.
  StatPrinter(const StatRequest& request, const Config& config, std::string target, bool of_workload, Sink& out);

  void start_time();  // heads a file of text or CSV
  // One of -I: its counts, and how long after the start.
  void interval(const StatTable& table, u64 since_start_ns);
  // Why rows have no count. For people: programs read the rest line by line.
  void causes(const StatTable& table, std::span<const int> errors, bool has_counters);
  void total(const StatTable& table, const std::optional<WorkloadExit>& workload);
  // After all else: the last line of --json-lines. `table`: the total, if there is one.
  void finish(const StatTable* table, const std::optional<WorkloadExit>& workload);
  // Of --hist.
  void distributions(std::span<const ValueDistribution> distributions, std::optional<u64> since_start_ns = {});

 private:
  bool metric_only() const { return request_.metric.only.value_or(false); }
  bool is_text() const { return !request_.separator && !request_.json; }
  bool of_ports() const { return !request_.port.chosen.empty(); }
  StatCsvStyle csv_style(std::optional<u64> since_start_ns) const;
  void start_lines();
  void ports(const StatTable& table, std::optional<u64> since_start_ns);
  void rows(const StatTable& table, std::optional<u64> since_start_ns);

  const StatRequest& request_;
  Sink& out_;
  std::string target_, separator_, thousands_;
  bool of_workload_ = false;
  unsigned intervals_ = 0;
  bool color_ = false;
  bool lines_started_ = false;
  bool show_titles_ = true;  // of a table of metrics
};

}  // namespace peregrine::cmd
