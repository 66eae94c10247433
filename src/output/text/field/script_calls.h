// ScriptCalls: tracks each thread's call depth through events that are single branches (from `ip` to `addr`).
//
// The kind of branch comes from the instruction at `ip`; if no file has that code, a branch to a function's start
// counts as a call; samples of a trace decoder state it. Returns are matched with calls by target, so tracking recovers
// after gaps. Samples must be in time order; one worker.
#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "insn/instruction.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_code.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

enum class BranchKind : u8 { Jump, Conditional, Call, Return };

enum class NamedEnd : u8 { None, From, To };

struct BranchStep {
  BranchKind kind = BranchKind::Jump;
  NamedEnd named = NamedEnd::None;  // function to show: the callee, or the one returned from
  std::size_t depth = 0;            // of the caller, or of the function returned to
  bool inside = true;               // within a chosen function or its callees
};

class ScriptCalls {
 public:
  // `chosen`: function names; empty: all. Must outlive this.
  explicit ScriptCalls(const std::vector<std::string>& chosen) : chosen_(chosen) {}

  BranchStep step(const ReplaySample& sample, Resolver& resolver, ScriptCode& code);
  // Whether a thread is in a chosen function or its callees.
  bool inside(u32 thread) const;

 private:
  struct Call {
    u64 back = 0;  // return address; 0 if unknown
    bool chosen = false;
  };
  BranchStep traced_step(const ReplaySample& sample, Resolver& resolver);
  bool is_chosen(const ReplaySample& sample, Resolver& resolver, u64 address) const;

  const std::vector<std::string>& chosen_;
  std::unordered_map<u32, std::vector<Call>> stacks_;  // by thread
  std::unordered_map<u32, u32> inside_from_;  // of traced threads in a chosen function: the call depth of that function
  Instruction instruction_;
};

}  // namespace peregrine
