// LiveMachine: resolves addresses for code that reads rings itself: a machine updated from side-band as it arrives,
// and its resolver.
//
//   HitStream ─▶ add() ─▶ learn_until(T): all before T is known ─▶ context(), complete() for moments before T
//
// Moments are times (ns of the events' clock, CLOCK_MONOTONIC): queries must be between the previous T and the current
// one. One thread.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/hit_stream.h"
#include "capture/target/target.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/user_stacks.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class LiveMachine {
 public:
  // `attr`: of the events that record the side-band.
  LiveMachine(SymbolPlaces places, const abi::EventAttr& attr);

  // Adds running processes; `workload`: the command, held before its exec.
  void learn_opening(const Root& root, HitStream& stream, const Target& target, std::optional<Pid> workload);
  // Adds records in ascending order; a call may start with records older than the end of the last one.
  void add(std::vector<SideBandHit> records);
  void learn_until(u64 time);

  Resolver& resolver() { return resolver_; }
  const Resolver::Context& context(i32 pid, i32 tid, u64 time) {
    return resolver_.context(static_cast<u32>(pid), static_cast<u32>(tid), time);
  }
  // See UserStacks::complete.
  bool complete(const Resolver::Context& context, unsigned max_stack, abi::Sample& sample) {
    return stacks_.complete(context, abi::kHostArch, kHostOrder, max_stack, sample);
  }

 private:
  void apply(const abi::RecordView& record, Moment moment);

  abi::EventAttr attr_;
  Machine machine_;
  CfiTables tables_;
  Resolver resolver_;
  UserStacks stacks_;
  abi::SideBandScratch scratch_;
  std::deque<SideBandHit> waiting_;
  Moment learnt_ = 1;
};

}  // namespace peregrine
