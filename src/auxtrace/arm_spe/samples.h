// Synthesizes events and samples from Arm SPE traces under --itrace.
//
// A record yields a sample for each event it matches: a load that missed the first-level cache is a sample of l1d-miss,
// l1d-access and memory. Events, attrs and order are linux-perf 6.1's. The caller sets time, thread, CPU and map, since
// only it knows the queue.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/itrace.h"
#include "base/types.h"

namespace peregrine {

// In linux-perf's order of events, and of samples for one record.
enum class SpeEventKind : u8 {
  L1Miss,
  L1Access,
  LastLevelMiss,
  LastLevelAccess,
  TlbMiss,
  TlbAccess,
  BranchMiss,
  RemoteAccess,
  Memory,
  Instructions,
};

struct SpeEvent {
  SpeEventKind kind{};
  std::string_view name;
  abi::EventAttr attr;
  u64 id = 0;
};

struct SpeEvents {
  std::vector<SpeEvent> events;
  std::string warning;  // options that SPE does not support; empty if none
};

// `recorded` is the attr of the arm_spe event, `recorded_id` its first id. Letters: f l1d-*, m llc-*, t tlb-*, b
// branch-miss, a remote-access, M memory, i with a period in instructions.
SpeEvents spe_events(const ItraceOptions& options, const abi::EventAttr& recorded, u64 recorded_id);

struct SpeSample {
  SpeEventKind event{};
  u64 ip = 0;
  u64 addr = 0;  // of the data; or the branch target
  u64 phys_addr = 0;
  u64 weight = 0;  // cycles from issue to completion
  u64 data_src = 0;
  u64 period = 1;
  friend bool operator==(const SpeSample&, const SpeSample&) = default;
};

// One per queue: counts records between instruction samples.
class SpeSampler {
 public:
  // `midr`: of the recorded processors, see data_source.h; 0 if unknown.
  SpeSampler(const ItraceOptions& options, u64 midr) : options_(options), midr_(midr) {}

  // Appends the samples of one record; a damaged one yields none.
  void add(const SpeRecord& record, std::vector<SpeSample>& out);

 private:
  ItraceOptions options_;
  u64 midr_;
  u64 since_instruction_ = 0;  // records since the last instruction sample
};

}  // namespace peregrine
