// PebsEvents: the events that have their PEBS records in the trace (attr.aux_output), and which of them a record
// belongs to.
//
// Records identify counters. If there is only one such event, all belong to it; otherwise AUX_OUTPUT_HW_ID records map
// counters to events. One worker.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {

class PebsEvents {
 public:
  // Empty unless `wanted`. Excludes events with fields that a PEBS record cannot supply (counter values, stacks).
  PebsEvents(const data::Evlist& evlist, bool wanted);

  bool empty() const { return events_.empty(); }
  // From now on `event` uses that counter on a CPU, or in a thread's trace (~0).
  void assign(u32 cpu, u64 counter, u32 event);
  // Event numbers; valid until the next call.
  const std::vector<u32>& events_of(const auxtrace::PebsRecord& record, u32 cpu);
  // Number of records of unassigned counters.
  u64 unassigned() const { return unassigned_; }

 private:
  std::vector<u32> events_, found_;
  std::map<std::pair<u32, u64>, u32> by_counter_;
  u64 unassigned_ = 0;
};

// Storage that a sample points into.
struct PebsScratch {
  std::vector<u64> registers;
  std::vector<abi::BranchEntry> branches;
};

// Sets the sample fields that a PEBS record supplies and the event has: ip, address, weight, transaction, interrupt
// registers, branches; but not the time. `sample` points into `scratch`.
void fill_pebs_sample(const auxtrace::PebsRecord& record, const abi::EventAttr& attr, abi::Sample& sample,
                      PebsScratch& scratch);

}  // namespace peregrine
