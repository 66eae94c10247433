// SchedLatency: how long tasks waited for a CPU: from the moment at which they could run (woken, made, or put aside
// while running) to the one at which they did.
//
//   wake-up ────── delay ──────▶ switched in          a task that slept
//   switched out (R) ── delay ─▶ switched in          a task that was put aside
//
// Times are those of the events, in ns. One state per task; nothing grows with the recording.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/sched/delay_histogram.h"
#include "analysis/sched/sched_event.h"

namespace peregrine {

struct SchedLatencyRow {
  std::string comm;  // as the task was called last
  u32 tid = 0;       // of the first one
  u32 tasks = 0;     // how many of that name
  u64 runtime = 0, switches = 0, delay = 0;
  u64 most = 0, most_from = 0, most_until = 0;
  u64 average() const { return switches == 0 ? 0 : delay / switches; }
};

enum class SchedLatencyKey : u8 { Average, Most, Pid, Runtime, Switches };

class SchedLatency : public SchedSink {
 public:
  struct Request {
    std::optional<u32> cpu;  // what happens on this one only
    bool by_task = false;    // else tasks of one name are one row
    // Of waits that end in this span, and of what ran in it.
    std::optional<TimeRange> window = {};
    std::optional<DelayHistogram::Scale> histogram = {};  // of the delays
  };
  SchedLatency(const data::Reader& reader, Request request) : SchedSink(reader), request_(request) {
    if (request.histogram) histogram_.emplace(*request.histogram);
  }

  // Tasks that were switched in at least once, the largest first, by the first key that tells two rows apart.
  std::vector<SchedLatencyRow> rows(const Machine& machine, const std::vector<SchedLatencyKey>& order) const;
  const std::optional<DelayHistogram>& histogram() const { return histogram_; }  // idle tasks left out
  u64 wakeups() const { return wakeups_; }                                       // of tasks that slept
  // Switches whose leaving task is not the one that came before: something between them was not recorded.
  u64 gaps() const { return gaps_; }
  bool lost() const { return lost_; }  // the recording says that there were more events

  std::bitset<128> records() const override;  // LOST
  void side_band(const ReplaySideBand&, Resolver&, unsigned) override { lost_ = true; }

 private:
  struct Task {
    bool waits = false;  // since `since`
    bool sleeps = true;  // was switched out so, or not seen yet
    u64 since = 0;
    u64 runtime = 0, switches = 0, delay = 0;
    u64 most = 0, most_from = 0, most_until = 0;
  };
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void take_switch(const SchedEvent& event);
  void take_wakeup(const SchedEvent& event);
  void take_migration(const SchedEvent& event);
  bool counts(u64 time) const {
    return !request_.window || (time >= request_.window->from && time <= request_.window->to);
  }
  Task& task(u32 tid, const SchedEvent& event, bool waits);

  Request request_;
  std::unordered_map<u32, Task> tasks_;   // by tid
  std::vector<u32> order_;                // of tids, as they appeared
  std::unordered_map<u32, u32> running_;  // by CPU
  std::optional<DelayHistogram> histogram_;
  u64 wakeups_ = 0, gaps_ = 0;
  bool lost_ = false;
};

}  // namespace peregrine
