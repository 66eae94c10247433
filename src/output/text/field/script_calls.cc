#include "output/text/field/script_calls.h"

#include <algorithm>
#include <cstddef>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "abi/sample.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_frames.h"

namespace peregrine {
namespace {

constexpr std::size_t kDeepestCall = 100'000;  // limit for broken traces

}  // namespace

bool ScriptCalls::is_chosen(const ReplaySample& sample, Resolver& resolver, u64 address) const {
  if (chosen_.empty()) return false;
  return std::ranges::find(chosen_, resolver.symbol_name(frame_anywhere(resolver, sample, address))) != chosen_.end();
}

bool ScriptCalls::inside(u32 thread) const {
  if (chosen_.empty()) return true;
  if (inside_from_.contains(thread)) return true;
  const auto stack = stacks_.find(thread);
  return stack != stacks_.end() && std::ranges::any_of(stack->second, &Call::chosen);
}

// The depth comes from the decoder, which also saw the branches that are not shown. As in linux-perf, a call has the
// depth of the function that it calls. `inside_from_` holds the depth at which a thread called a chosen function. The
// return at that depth is still inside; any other branch there or above has left the function.
BranchStep ScriptCalls::traced_step(const ReplaySample& sample, Resolver& resolver) {
  namespace flag = abi::branch_flag;
  const abi::TraceFacts& facts = sample.sample.traced;
  BranchStep step;
  if ((facts.flags & flag::Conditional) != 0) step.kind = BranchKind::Conditional;
  if ((facts.flags & flag::Call) != 0) step.kind = BranchKind::Call;
  if ((facts.flags & flag::Return) != 0) step.kind = BranchKind::Return;
  if ((facts.flags & (flag::Call | flag::TraceBegin)) != 0) {
    step.named = NamedEnd::To;
  } else if ((facts.flags & (flag::Return | flag::TraceEnd)) != 0) {
    step.named = NamedEnd::From;
  }
  const u32 depth = facts.depth + (step.kind == BranchKind::Return ? 1 : 0);
  step.depth = depth;
  if (chosen_.empty()) return step;
  const auto from = inside_from_.find(sample.sample.tid);
  const bool left = from != inside_from_.end() && depth <= from->second;
  const bool its_return = left && step.kind == BranchKind::Return && depth == from->second;
  step.inside = from != inside_from_.end() && (!left || its_return);
  if (left) inside_from_.erase(from);
  if (!step.inside && step.kind == BranchKind::Call && is_chosen(sample, resolver, sample.sample.addr)) {
    inside_from_[sample.sample.tid] = depth;
    step.inside = true;
  }
  return step;
}

BranchStep ScriptCalls::step(const ReplaySample& sample, Resolver& resolver, ScriptCode& code) {
  if ((sample.sample.fields & abi::sample_bit::Traced) != 0) return traced_step(sample, resolver);
  const u64 from = sample.sample.ip, to = sample.sample.addr;
  BranchStep step;
  u64 back = 0;
  const CodeBytes bytes = code.read(sample, resolver, from, 16);
  if (code.decode(bytes, instruction_)) {
    back = from + instruction_.size;
    if (instruction_.flow == Flow::Call) step.kind = BranchKind::Call;
    if (instruction_.flow == Flow::Return) step.kind = BranchKind::Return;
    if (instruction_.flow == Flow::Branch) step.kind = BranchKind::Conditional;
  } else if (const Frame& target = frame_anywhere(resolver, sample, to);
             target.symbol && resolver.symbol_offset(target) == 0) {
    step.kind = BranchKind::Call;
  }
  std::vector<Call>& stack = stacks_[sample.sample.tid];
  if (step.kind == BranchKind::Return) {
    const auto match = std::find_if(stack.rbegin(), stack.rend(), [&](const Call& call) { return call.back == to; });
    if (match != stack.rend())
      stack.erase(match.base() - 1, stack.end());
    else if (!stack.empty())
      stack.pop_back();
  }
  if (step.kind == BranchKind::Call) step.named = NamedEnd::To;
  if (step.kind == BranchKind::Return) step.named = NamedEnd::From;
  step.depth = stack.size();
  if (!chosen_.empty()) step.inside = inside(sample.sample.tid) || is_chosen(sample, resolver, from);
  if (step.kind == BranchKind::Call && stack.size() < kDeepestCall) {
    stack.push_back({.back = back, .chosen = is_chosen(sample, resolver, to)});
    step.inside = step.inside || stack.back().chosen;
  }
  return step;
}

}  // namespace peregrine
