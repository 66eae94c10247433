// StatSession: runs one `stat` command: opens the counters, runs the workload or waits, and fills the tables.
//
// run() may be called several times (-r): it opens the events each time, and total() accumulates the results. The Watch
// reads signals that end the command; ended_by() returns the signal. Not thread safe.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metric/metric_set.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/value_distribution.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/counter.h"
#include "capture/perf_event/event_matrix.h"
#include "capture/sampling/latency_tally.h"
#include "capture/sampling/retire_latency_sampler.h"
#include "capture/sensor_reader.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"
#include "pipeline/counting/stat_writer.h"
#include "session/counting/ended_runs.h"
#include "session/session_listener.h"
#include "sys/process/limit.h"

namespace peregrine {

struct StatPlan {
  EventList events;  // configured; updated to what the kernel accepted
  Target target;
  PerfLimits limits;
  std::vector<std::string> command;  // empty: wait for a signal, the timeout, or the end of the target's threads
  MetricSet metrics;                 // over those events
  StatLayout layout;
  std::vector<ValueField> value_fields;  // --hist; their events are configured like the others
  std::vector<i64> value_bounds;
  BpfCounting bpf;
  bool sample_latencies = false;  // for events with the modifier R
  i64 delay_ms = 0;               // -1: we never enable them
  unsigned interval_ms = 0, interval_count = 0, timeout_ms = 0;
  std::optional<ControlChannel> control;     // control channel of another program
  std::optional<StatFileOptions> recording;  // stat record: also write the counts to this file
  std::string before, after;                 // shell commands to run around each run, not counted
  bool sync = false;                         // writes caches to the disks before each run
  bool verbose = false;
  OnOpen on_open;  // observes each perf_event_open(2)
};

// A table of the plan's events and metrics, without counts. Borrows the plan. `supported`: by event.
StatTable new_stat_table(const StatPlan& plan, std::vector<bool> supported);

// Samples of retire latencies, of all runs.
struct LatencyAccount {
  u64 samples = 0, lost = 0;
  bool all_zero = true;
};

class StatSession {
 public:
  // Called for each interval, with a table of that interval only and the time since the start of the run.
  using OnInterval = std::function<void(const StatTable& table, u64 since_start_ns)>;

  // Errors: System, signals cannot be watched.
  static Result<std::unique_ptr<StatSession>> open(StatPlan plan, SessionListener& listener);
  StatSession(const StatSession&) = delete;
  StatSession& operator=(const StatSession&) = delete;

  // Performs one run, with the commands around it. Errors: the run's; System, a command before or after it fails.
  Result<> run(const OnInterval& on_interval);

  // Performs this many runs or, if 0, runs until a signal arrives, calling `after_each` after each run. Errors: as
  // run().
  Result<> repeat(unsigned runs, const OnInterval& on_interval, const std::function<void()>& after_each);
  // Reports once how often a signal ended the command, unless the last interval of -I ended it on request.
  void tell_ended_runs() const;

  // Sets another command for the following runs.
  void set_command(std::vector<std::string> words) { plan_.command = std::move(words); }
  // The last run only.
  StatTable last_run() const;
  const std::vector<CounterReading>& last_readings() const { return last_readings_; }
  const StatTimes& last_times() const { return last_times_; }
  const std::vector<bool>& supported() const { return supported_; }  // by event, after the first run

  const StatTable* total() const { return total_ ? &*total_ : nullptr; }  // after the first run
  const EventList& events() const { return plan_.events; }
  // By event: the kernel's errno if it was refused, else 0.
  const std::vector<int>& errors() const { return errors_; }
  const std::vector<ValueDistribution>& distributions() const { return distributions_; }
  std::vector<ValueDistribution> interval_distributions() const;         // of the last interval
  const std::optional<WorkloadExit>& workload() const { return exit_; }  // of the last run
  int ended_by() const { return signal_; }                               // 0: it ended normally
  const std::optional<LatencyAccount>& latency_account() const { return latency_account_; }

 private:
  using Clock = std::chrono::steady_clock;

  StatSession(StatPlan plan, SessionListener& listener, Watch watch)
      : plan_(std::move(plan)), listener_(listener), watch_(std::move(watch)) {}
  Result<> run_once(const OnInterval& on_interval);
  Result<> start_counting(CounterSet& counters, std::optional<Workload>& workload);
  // For groups that can never count, says what to write instead.
  void advise_on_groups(const CounterSet& counters) const;
  Result<> enable(CounterSet& counters);
  // Lets the workload run, after setting breakpoints on its symbols.
  Result<> release(CounterSet& counters, Workload& workload);
  Result<> wait(CounterSet& counters, std::optional<Workload>& workload, const OnInterval& on_interval);
  // Wakes at `until` at the latest; handles --control commands in the meantime. False: the workload has ended.
  Result<bool> sleep_until(Clock::time_point until, CounterSet& counters, std::optional<Workload>& workload);
  Result<> obey(CounterSet& counters);
  Result<> end_interval(CounterSet& counters, const OnInterval& on_interval);
  Result<> count(CounterSet& counters, std::optional<Workload>& workload, const OnInterval& on_interval);
  Result<> open_recording(const CounterSet& counters);
  // Warns if they cannot be sampled.
  void open_latencies();
  Result<> end_latencies();
  // Includes what the tool itself has measured until then.
  Result<> record(std::vector<CounterReading> readings, const StatTimes& times, bool last);
  StatTimes times() const;
  std::vector<LatencyReading> latencies_so_far() const;
  bool targets_are_gone() const;

  StatPlan plan_;
  SessionListener& listener_;
  Watch watch_;
  std::vector<bool> supported_;
  std::vector<int> errors_;
  std::optional<StatTable> total_;
  std::vector<ValueDistribution> distributions_;  // of plan_.value_fields
  std::vector<std::vector<u64>> value_slots_;     // by field, up to the end of the last interval
  std::vector<std::vector<u64>> interval_slots_;  // of the last interval
  std::vector<CounterReading> last_interval_;
  u64 last_interval_end_ = 0;  // ns since the start
  std::optional<StatWriter> writer_;
  std::optional<SensorReader> sensors_;  // of this run
  std::optional<RetireLatencySampler> latencies_;
  int latency_error_ = 0;  // errno; -1: another reason
  std::optional<LatencyAccount> latency_account_;
  std::vector<CounterReading> last_readings_;
  StatTimes last_times_;
  unsigned intervals_ = 0;
  Clock::time_point start_, end_;
  std::optional<WorkloadExit> exit_;
  EndedRuns ended_runs_;
  int signal_ = 0;
  bool told_to_stop_ = false;
};

}  // namespace peregrine
