// SchedStatMerge: combines how long threads slept with where they went to sleep.
//
// A sched_stat_* sample has the duration, a sched_switch sample the callchain. Each sched_stat_* sample is replaced by
// the last sched_switch sample of its thread, with the former's period and time; sched_switch and sched_process_exit
// samples are dropped. Fed in time order.
// sched_process_exit samples go. Fed with records in time order.
#pragma once
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

class SchedStatMerge {
 public:
  explicit SchedStatMerge(const data::Reader& reader) : reader_(reader) {}

  // What to write for the record: its own bytes, others (valid until the next call), or nothing.
  Bytes edit(const abi::RecordView& record);
  // sched_stat_* samples without a sched_switch of the thread; dropped.
  u64 unmatched() const { return unmatched_; }
  // Total number of sched_stat_* samples.
  u64 found() const { return found_; }

 private:
  enum class Kind { Other, Switch, Exit, Stat };
  struct EventKind {
    Kind kind = Kind::Other;
    u32 pid_at = 0, pid_size = 0;  // for a Stat: in the raw data
  };
  struct Switch {
    u32 event = 0;
    std::vector<std::byte> bytes;
  };
  const EventKind& kind_of(u32 event);
  Bytes merge(const abi::RecordView& record, const abi::Sample& sample, const EventKind& kind);

  const data::Reader& reader_;
  std::vector<EventKind> kinds_;  // by event
  TracingData tracing_;
  bool has_tracing_ = false;
  std::unordered_map<u32, Switch> switches_;  // by thread
  abi::SampleScratch scratch_;
  std::vector<std::byte> merged_;
  u64 unmatched_ = 0, found_ = 0;
};

}  // namespace peregrine
