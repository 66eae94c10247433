// MultipassCount: counts the events of a command in several runs (passes), as many as necessary to count each event for
// the whole time of one run. For stat --multipass.
//
//   plan.events ── pack_passes ──▶ passes ── run_pass, one run each ──▶ readings ──▶ table()
//                                    ▲                            │ if counters were shared, the pass
//                                    └──────────── two halves ────┘ is split and both halves run again
//
// Counts of different passes come from different runs. One thread.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "capture/counter.h"
#include "capture/perf_event/group_fit.h"
#include "capture/sampling/latency_tally.h"
#include "capture/target/workload.h"
#include "event/config/event_pass.h"
#include "event/spec.h"
#include "session/counting/stat_session.h"
#include "session/session_listener.h"

namespace peregrine {

// One run of the command that counted some of a plan's events; events are numbered as in `events`.
struct PassRun {
  EventList events;  // as reported by the kernel
  std::vector<bool> supported;
  std::vector<CounterReading> readings;
  StatTimes times;
  std::optional<WorkloadExit> workload;
  int ended_by = 0;  // the signal that ended it; 0: none
};

// Runs the command of `whole` once in a separate session that counts `events` instead of the plan's.
Result<PassRun> run_pass(const StatPlan& whole, EventList events, SessionListener& listener);

class MultipassCount {
 public:
  using RunPass = std::function<Result<PassRun>(const StatPlan& whole, EventList events)>;
  // `fits`: whether events can all count at the same time.
  MultipassCount(StatPlan plan, RunPass run, const std::function<bool(const EventList&)>& fits = fits_together);

  // Runs every pass once. False: a signal ended it, and its counts are dropped. Errors: those of a run.
  Result<bool> round();

  // Runs this many rounds, or fewer if a signal ends them. False: not even one was completed. Errors: those of a run.
  Result<bool> rounds(unsigned count);

  // The counts of all rounds so far. Borrows this.
  StatTable table() const;
  std::size_t passes() const { return passes_.size(); }
  unsigned runs() const { return runs_; }
  int ended_by() const { return ended_by_; }
  const std::optional<WorkloadExit>& workload() const { return exit_; }  // of the last run

 private:
  struct Round {
    std::vector<CounterReading> readings;
    StatTimes times;
  };
  // False: its counters were multiplexed; the pass was split in two to be run again.
  Result<bool> run_one(std::size_t index);
  void add(const EventPass& pass, PassRun done);

  StatPlan plan_;
  RunPass run_;
  std::vector<EventPass> passes_;
  std::vector<bool> supported_;
  std::vector<CounterReading> readings_;  // of this round, like the latencies and times below
  std::vector<LatencyReading> latencies_;
  StatTimes times_;  // of its first pass
  std::vector<Round> rounds_;
  std::optional<WorkloadExit> exit_;
  unsigned runs_ = 0;
  int ended_by_ = 0;
};

}  // namespace peregrine
