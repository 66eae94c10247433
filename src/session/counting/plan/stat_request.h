// StatRequest: which events `stat` counts, for which target, for how long, and how the counts are aggregated.
//
// Filled from the options. take_ports() and make_stat_plan() complete it: they add the events of presets, and choose
// the target and the aggregation if the options do not. The style of StatPrinter is then made from it.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_set.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/types.h"
#include "capture/counter.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"
#include "sys/hardware/io_port.h"

namespace peregrine {

// Metrics, and presets of events that are shown as metrics.
struct StatMetricRequest {
  std::string words;  // -M, joined by commas
  MetricOptions options;
  std::optional<bool> only;  // --metric-only; unset: the preset decides
  bool topdown = false, transaction = false, smi_cost = false;
  unsigned level = 0;  // of --topdown; 0: all levels
};

// Traffic of PCI root ports instead of events.
struct StatPortRequest {
  std::optional<std::string> words;  // --iostat: the requested ports; "" for all, "list" to list them
  std::vector<IoPort> chosen;        // the ports to count
  bool of_command = false;           // the whole machine is counted because of the ports, not because of -a
  bool lists() const { return words && *words == "list"; }
};

struct StatRequest {
  EventSources sources;
  EventList events;
  StatMetricRequest metric;
  // Reads the metrics available here; called at most once per use of metrics.
  std::function<MetricCatalogue()> load_metrics;
  StatPortRequest port;
  std::vector<ValueField> value_fields;  // --hist
  std::vector<i64> value_bounds;         // --buckets
  TargetRequest target;
  std::vector<std::string> command;  // empty: count until a signal arrives or the target ends
  std::string before, after;         // shell commands around each run
  int detail = 0;                    // how many times -d was given
  bool null_run = false, group = false, inherit = true, scale = true, sync = false, verbose = false;
  bool all_user = false, all_kernel = false;
  unsigned repeat = 1;  // 0: until a signal arrives
  StatAggregation aggregation = StatAggregation::Global;
  u32 cache_level = 0;                           // of StatAggregation::Cache; 0: the last level
  bool record_latencies = false;                 // sample retire latencies
  LatencyMode latency_mode = LatencyMode::Mean;  // which latency to show
  unsigned interval_ms = 0, interval_count = 0, timeout_ms = 0;
  i64 delay_ms = 0;
  bool merge = true, merge_cores = false;  // --no-merge, --hybrid-merge
  bool core_at_each_cpu = false;           // --percore-show-thread
  std::size_t cgroups = 0;                 // number of cgroups named by -G so far
  std::string each_cgroup;                 // --for-each-cgroup
  BpfCounting bpf;
  std::optional<ControlChannel> control;
  bool recorded = false;                   // stat record: write the counts to recording_path
  std::string recording_path;              // empty: perf.data
  std::vector<std::string> recorded_argv;  // the command line to store in the recording
};

}  // namespace peregrine
