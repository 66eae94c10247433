// What a recording with Arm SPE traces becomes under --itrace: events that the recorder never opened, and their
// samples.
//
// One record gives a sample to each event that it is of: a load that missed the first level cache is one of l1d-miss,
// l1d-access and memory. Events, their attrs and order are those of linux-perf 6.1. Time, thread, CPU and map of a
// sample are the caller's matter: only he knows the queue.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/itrace.h"

namespace peregrine {

// In the order in which linux-perf adds them and makes samples of one record.
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
  std::string warning;  // what of the options SPE cannot do; empty: nothing
};

// `recorded` is the attr of the arm_spe event, `recorded_id` its first id. Letters: f l1d-*, m llc-*, t tlb-*, b
// branch-miss, a remote-access, M memory, i with a period in instructions.
SpeEvents spe_events(const ItraceOptions& options, const abi::EventAttr& recorded, u64 recorded_id);

struct SpeSample {
  SpeEventKind event{};
  u64 ip = 0;
  u64 addr = 0;  // of the data; where a branch went
  u64 phys_addr = 0;
  u64 weight = 0;  // cycles from issue to completion
  u64 data_src = 0;
  u64 period = 1;
  friend bool operator==(const SpeSample&, const SpeSample&) = default;
};

// One per queue: it counts the records between samples of instructions.
class SpeSampler {
 public:
  // `midr`: of the recording's processors, see data_source.h; 0: unknown.
  SpeSampler(const ItraceOptions& options, u64 midr) : options_(options), midr_(midr) {}

  // Appends the samples of one record; a damaged one gives none.
  void add(const SpeRecord& record, std::vector<SpeSample>& out);

 private:
  ItraceOptions options_;
  u64 midr_;
  u64 since_instruction_ = 0;  // records since the last sample of instructions
};

}  // namespace peregrine
