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
  // Reads the metrics available here; called at most once per use of metrics.
  std::function<MetricCatalogue()> load;
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

// The workload, and how often it runs.
struct StatRuns {
  std::vector<std::string> command;  // empty: count until a signal arrives or the target ends
  std::string before, after;         // shell commands around each run
  unsigned repeat = 1;               // 0: until a signal arrives
  bool sync = false;                 // write dirty pages before each run
};

// How the events are opened.
struct StatOpening {
  bool group = false, inherit = true, scale = true;
  bool all_user = false, all_kernel = false;
};

struct StatTiming {
  unsigned interval_ms = 0, interval_count = 0, timeout_ms = 0;
  i64 delay_ms = 0;
};

// How the counts become rows.
struct StatRowRequest {
  StatAggregation aggregation = StatAggregation::Global;
  u32 cache_level = 0;                     // of StatAggregation::Cache; 0: the last level
  bool merge = true, merge_cores = false;  // --no-merge, --hybrid-merge
  bool core_at_each_cpu = false;           // --percore-show-thread
};

// Retire latencies, of events with the modifier R.
struct StatLatencyRequest {
  bool is_recorded = false;
  LatencyMode mode = LatencyMode::Mean;  // which latency to show
};

struct StatCgroupRequest {
  std::size_t named = 0;  // number of cgroups named by -G so far
  std::string each;       // --for-each-cgroup
};

// Distributions of tracepoint fields.
struct StatValueRequest {
  std::vector<ValueField> fields;  // --hist
  std::vector<i64> bounds;         // --buckets
};

// stat record: write the counts to a recording.
struct StatRecordingRequest {
  bool wanted = false;
  std::string path;               // empty: perf.data
  std::vector<std::string> argv;  // the command line to store in it
};

struct StatRequest {
  EventSources sources;
  EventList events;
  int detail = 0;         // how many times -d was given
  bool null_run = false;  // without -e, no events
  StatMetricRequest metric;
  StatPortRequest port;
  StatValueRequest values;
  StatCgroupRequest cgroup;
  StatLatencyRequest latency;
  BpfCounting bpf;
  TargetRequest target;
  StatRuns runs;
  StatOpening opening;
  StatTiming timing;
  StatRowRequest rows;
  StatRecordingRequest recording;
  std::optional<ControlChannel> control;
  bool verbose = false;
};

}  // namespace peregrine
