// The options of stat, and their table.
#pragma once
#include <optional>
#include <string>

#include "analysis/stat/stat_table.h"
#include "capture/counter.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cmd/stat/stat_metrics.h"
#include "cmd/stat/stat_ports.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"

namespace peregrine::cmd {

struct StatRequest {
  EventSources sources;
  EventList events;
  StatMetricRequest metric;
  StatPortRequest port;
  std::vector<ValueField> value_fields;  // --hist
  std::vector<i64> value_bounds;         // --buckets
  std::size_t last_word = 0;             // where the events of the last -e begin
  bool last_is_hist = false;             // --hist came after it: --filter is of that
  TargetRequest target;
  int detail = 0, verbose = 0;
  bool null_run = false, group = false, inherit = true, scale = true, sync = false, table = false;
  bool all_user = false, all_kernel = false;
  std::optional<bool> big_numbers;
  unsigned repeat = 1;
  bool repeat_given = false;
  std::string versus;      // --vs: the other command
  bool multipass = false;  // as many runs as it takes to count everything all the time
  StatAggregation aggregation = StatAggregation::Global;
  u32 cache_level = 0;                           // of --per-cache; 0: the last
  bool record_latencies = false;                 // --record-tpebs
  LatencyMode latency_mode = LatencyMode::Mean;  // --tpebs-mode
  unsigned interval_ms = 0, interval_count = 0, timeout_ms = 0;
  i64 delay_ms = 0;
  bool summary = false, no_csv_summary = false, interval_clear = false;
  std::optional<std::string> separator;
  bool csv_safe = false;  // with a separator
  bool hide_zeros = false;
  bool recorded = false;    // stat record: `output` is a perf.data file
  bool json_lines = false;  // --json-lines; then `json` too
  bool json = false, quiet = false, append = false;
  std::string output, before, after;
  std::optional<int> log_fd;
  bool merge = true, merge_cores = false;  // --no-merge, --hybrid-merge
  bool core_at_each_cpu = false;           // --percore-show-thread
  std::size_t cgroups = 0;                 // named so far by -G
  std::string each_cgroup;                 // --for-each-cgroup
  BpfCounting bpf;
  std::optional<ControlChannel> control;

  Result<> configure(const Config& config);
};

// Counts and shows; the exit code. In stat.cc.
Result<int> run_stat(StatRequest& request, Invocation& call);

}  // namespace peregrine::cmd
