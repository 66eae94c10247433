// SchedStatMerge: how long threads slept, told by the samples that say where they went to sleep.
//
// A sched_stat_* sample knows the time, a sched_switch sample the callchain. Each sched_stat_* sample is replaced by
// the last sched_switch sample of the thread it is about, with the former's period and time; sched_switch and
// sched_process_exit samples go. Fed with records in time order.
#pragma once
#include <unordered_map>
#include <vector>

#include "data/reader/reader.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

class SchedStatMerge {
 public:
  explicit SchedStatMerge(const data::Reader& reader) : reader_(reader) {}

  // What to write instead of the record: its own bytes, others (valid until the next call), or none.
  Bytes edit(const abi::RecordView& record);
  // sched_stat_* samples of threads whose sched_switch is not there: left out.
  u64 unmatched() const { return unmatched_; }
  // sched_stat_* samples in all.
  u64 found() const { return found_; }

 private:
  enum class Kind { Other, Switch, Exit, Stat };
  struct EventKind {
    Kind kind = Kind::Other;
    u32 pid_at = 0, pid_size = 0;  // of a Stat: in the raw data
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
