// ScriptCalls: how deep in calls each thread is, told by events that are single branches (from `ip` to `addr`).
//
// What kind of branch it was, the instruction at `ip` says; where no file has that code, a branch to the start of a
// function counts as a call; what a trace's decoder made says it itself. A return is matched with its call by its
// target, so that a trace with gaps mends itself. Samples in order of time; one worker.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "output/text/field/script_code.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

enum class BranchKind : u8 { Jump, Conditional, Call, Return };

enum class NamedEnd : u8 { None, From, To };

struct BranchStep {
  BranchKind kind = BranchKind::Jump;
  NamedEnd named = NamedEnd::None;  // whose function is shown: the called one, or the one that is left
  std::size_t depth = 0;            // of the one who calls, or of the one that is returned to
  bool inside = true;               // in a chosen function or what it calls
};

class ScriptCalls {
 public:
  // `chosen`: names of functions; none: all. It outlives this.
  explicit ScriptCalls(const std::vector<std::string>& chosen) : chosen_(chosen) {}

  BranchStep step(const ReplaySample& sample, Resolver& resolver, ScriptCode& code);
  // Where a thread is now: in a chosen function or what it called.
  bool inside(u32 thread) const;

 private:
  struct Call {
    u64 back = 0;  // where it returns to; 0: unknown
    bool chosen = false;
  };
  BranchStep traced_step(const ReplaySample& sample, Resolver& resolver);
  bool is_chosen(const ReplaySample& sample, Resolver& resolver, u64 address) const;

  const std::vector<std::string>& chosen_;
  std::unordered_map<u32, std::vector<Call>> stacks_;  // by thread
  std::unordered_map<u32, u32> inside_from_;  // of traced threads in a chosen function: how deep that is called
  Instruction instruction_;
};

}  // namespace peregrine
