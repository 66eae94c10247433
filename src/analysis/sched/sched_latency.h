// SchedLatency: how long tasks waited for a CPU: from becoming runnable (woken, created, or preempted) until running.
//
//   wake-up ────── delay ──────▶ switched in          a task that slept
//   switched out (R) ── delay ─▶ switched in          a preempted task
//
// Times are those of the events, in ns. One state per task; memory does not grow with the recording.
#pragma once
#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "analysis/keyed_rows.h"
#include "analysis/sched/delay_histogram.h"
#include "analysis/sched/sched_event.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct SchedLatencyRow {
  std::string comm;  // the task's last name
  u32 tid = 0;       // of the first task
  u32 tasks = 0;     // number of tasks with that name
  u64 runtime = 0, switches = 0, delay = 0;
  u64 most = 0, most_from = 0, most_until = 0;
  u64 average() const { return switches == 0 ? 0 : delay / switches; }
};

enum class SchedLatencyKey : u8 { Average, Most, Pid, Runtime, Switches };

class SchedLatency : public SchedSink {
 public:
  struct Request {
    std::optional<u32> cpu;  // only events on this CPU
    bool by_task = false;    // else tasks with one name form one row
    // Only waits that end in this span, and run time within it.
    std::optional<TimeRange> window = {};
    std::optional<DelayHistogram::Scale> histogram = {};  // of the delays
  };
  SchedLatency(const data::Reader& reader, Request request) : SchedSink(reader), request_(request) {
    if (request.histogram) histogram_.emplace(*request.histogram);
  }

  // Tasks that were switched in at least once, largest first by the first key that differs.
  std::vector<SchedLatencyRow> rows(const Machine& machine, const std::vector<SchedLatencyKey>& order) const;
  const std::optional<DelayHistogram>& histogram() const { return histogram_; }  // without idle tasks
  u64 wakeups() const { return wakeups_; }                                       // of sleeping tasks
  // Switches where the previous task is not the last one switched in: events in between are missing.
  u64 gaps() const { return gaps_; }
  bool lost() const { return lost_; }  // the recording contains lost events

  std::bitset<128> records() const override;  // LOST
  void side_band(const ReplaySideBand&, Resolver&, unsigned) override { lost_ = true; }

 private:
  struct Task {
    u32 key = 0;         // tid
    bool waits = false;  // since `since`
    bool sleeps = true;  // was switched out sleeping, or not seen yet
    u64 since = 0;
    u64 runtime = 0, switches = 0, delay = 0;
    u64 most = 0, most_from = 0, most_until = 0;
  };
  struct Cpu {
    u32 key = 0;
    std::optional<u32> tid;  // switched in last
  };
  bool needs(SchedKind kind) const override;
  void happened(const SchedEvent& event, const ReplaySample& sample, Resolver& resolver) override;
  void take_switch(const SchedEvent& event);
  void take_wakeup(const SchedEvent& event);
  void take_migration(const SchedEvent& event);
  bool counts(u64 time) const {
    return !request_.window || (time >= request_.window->from && time <= request_.window->to);
  }
  Task& task(u32 tid, const SchedEvent& event, bool waits);

  Request request_;
  KeyedRows<Task> tasks_;  // in order of appearance
  KeyedRows<Cpu> running_;
  std::optional<DelayHistogram> histogram_;
  u64 wakeups_ = 0, gaps_ = 0;
  bool lost_ = false;
};

}  // namespace peregrine
