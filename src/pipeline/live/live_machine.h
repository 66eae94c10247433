// LiveMachine: whose address is it, for who reads rings himself: a machine that learns from side-band as it comes, and
// the resolver that asks it.
//
//   HitStream ─▶ add() ─▶ learn_until(T): all before T is known ─▶ context(), complete() of moments before T
//
// Moments are times (ns of the events' clock, CLOCK_MONOTONIC): nobody asks for one that is not learnt yet, nor for one
// before the T of last time. One thread.
#pragma once
#include <deque>

#include "capture/sampling/hit_stream.h"
#include "pipeline/replay/user_stacks.h"

namespace peregrine {

class LiveMachine {
 public:
  // `attr`: of the events whose side-band it is.
  LiveMachine(SymbolPlaces places, const abi::EventAttr& attr);

  // What runs already; `workload`: the command, held back before its exec.
  void learn_opening(const Root& root, HitStream& stream, const Target& target, std::optional<Pid> workload);
  // Ascending; one call may begin with what is older than the end of the last.
  void add(std::vector<SideBandHit> records);
  void learn_until(u64 time);

  Resolver& resolver() { return resolver_; }
  const Resolver::Context& context(i32 pid, i32 tid, u64 time) {
    return resolver_.context(static_cast<u32>(pid), static_cast<u32>(tid), time);
  }
  // UserStacks::complete of this machine.
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
