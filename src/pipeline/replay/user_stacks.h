// UserStacks: completes the callchains of samples that recorded a piece of their user stack.
//
//   recorded   kernel frames…                        registers, stack bytes
//   delivered  kernel frames…, USER, pc, callers…    as linux-perf shows them: callers by the last byte of their call
//
// --call-graph lbr recordings hold the calls themselves, as branch records: these take the place of the user part.
//
// One per worker. Both parts keep at most max_stack frames, each for itself (as in linux-perf).
#pragma once
#include "machine/resolver/resolver.h"
#include "machine/resolver/stack_unwinder.h"
#include "pipeline/replay/account.h"

namespace peregrine {

class UserStacks {
 public:
  UserStacks(const Machine& machine, const CfiTables& tables) : unwinder_(machine, tables) {}

  // Gives sample.callchain a new span, valid until the next call. False: the sample recorded nothing to unwind.
  bool complete(const Resolver::Context& context, abi::Arch arch, ByteOrder order, unsigned max_stack,
                abi::Sample& sample);

  // The same for a sample whose branch records are calls. As in linux-perf these count only where max_stack reaches the
  // user part, and are not cut.
  // `below`: callers that another sample told of.
  bool complete_by_branches(unsigned max_stack, std::span<const u64> below, abi::Sample& sample);

  const UnwindCounts& counts() const { return counts_; }

 private:
  StackUnwinder unwinder_;
  std::vector<u64> chain_;
  UnwindCounts counts_;
};

}  // namespace peregrine
