// UserStacks: completes callchains of samples that recorded part of their user stack.
//
//   recorded   kernel frames…                        registers, stack bytes
//   delivered  kernel frames…, USER, pc, callers…    as shown by linux-perf: callers by the last byte of the call
//
// --call-graph lbr recordings contain the calls as branch records, which replace the user part.
//
// One per worker. As in linux-perf, the kernel and user parts are each limited to max_stack frames.
#pragma once
#include <span>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/resolver.h"
#include "machine/resolver/stack_unwinder.h"
#include "unwind/unwinder.h"

namespace peregrine {

class UserStacks {
 public:
  UserStacks(const Machine& machine, const CfiTables& tables) : unwinder_(machine, tables) {}

  // Sets sample.callchain to a new span, valid until the next call. False: the sample has nothing to unwind.
  bool complete(const Resolver::Context& context, abi::Arch arch, ByteOrder order, unsigned max_stack,
                abi::Sample& sample);

  // The same for samples with call-stack branch records. As in linux-perf, these are used only if max_stack reaches the
  // user part, and are then not truncated. `below`: callers from another sample.
  bool complete_by_branches(unsigned max_stack, std::span<const u64> below, abi::Sample& sample);

  const UnwindCounts& counts() const { return counts_; }
  // As StackUnwinder::forget().
  void forget() { unwinder_.forget(); }

 private:
  StackUnwinder unwinder_;
  std::vector<u64> chain_;
  UnwindCounts counts_;
};

}  // namespace peregrine
