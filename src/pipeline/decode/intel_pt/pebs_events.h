// PebsEvents: the events of a recording whose PEBS records went into the trace (attr.aux_output), and which of them a
// record belongs to.
//
// A record names counters. With one such event all are its; else AUX_OUTPUT_HW_ID records say which event counts where.
// One worker.
#pragma once
#include <map>
#include <vector>

#include "auxtrace/intel_pt/pebs_record.h"
#include "data/header/evlist.h"

namespace peregrine {

class PebsEvents {
 public:
  // None unless `wanted`. Events with fields that a PEBS record cannot fill (counter values, stacks) are left out.
  PebsEvents(const data::Evlist& evlist, bool wanted);

  bool empty() const { return events_.empty(); }
  // From now on `event` counts on that counter of a CPU, or of a thread's trace (~0).
  void assign(u32 cpu, u64 counter, u32 event);
  // By number; valid until the next call.
  const std::vector<u32>& events_of(const auxtrace::PebsRecord& record, u32 cpu);
  // Records of counters that no event was assigned to.
  u64 unassigned() const { return unassigned_; }

 private:
  std::vector<u32> events_, found_;
  std::map<std::pair<u32, u64>, u32> by_counter_;
  u64 unassigned_ = 0;
};

// Storage for what a sample points to.
struct PebsScratch {
  std::vector<u64> registers;
  std::vector<abi::BranchEntry> branches;
};

// The fields of a sample that a PEBS record gives, as far as the event has them: ip, address, weight, transaction,
// registers at the interrupt, branches. Not its time. `sample` points to `scratch`.
void fill_pebs_sample(const auxtrace::PebsRecord& record, const abi::EventAttr& attr, abi::Sample& sample,
                      PebsScratch& scratch);

}  // namespace peregrine
