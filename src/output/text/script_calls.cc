#include "output/text/script_calls.h"

#include <algorithm>

#include "output/text/script_frames.h"

namespace peregrine {
namespace {

constexpr std::size_t kDeepest = 100'000;  // what a broken trace may make of it

}  // namespace

bool ScriptCalls::is_chosen(const ReplaySample& sample, Resolver& resolver, u64 address) const {
  if (chosen_.empty()) return false;
  return std::ranges::find(chosen_, resolver.symbol_name(frame_anywhere(resolver, sample, address))) != chosen_.end();
}

bool ScriptCalls::inside(u32 thread) const {
  if (chosen_.empty()) return true;
  const auto stack = stacks_.find(thread);
  return stack != stacks_.end() && std::ranges::any_of(stack->second, &Call::chosen);
}

BranchStep ScriptCalls::step(const ReplaySample& sample, Resolver& resolver, ScriptCode& code) {
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
  step.depth = stack.size();
  if (!chosen_.empty()) step.inside = inside(sample.sample.tid) || is_chosen(sample, resolver, from);
  if (step.kind == BranchKind::Call && stack.size() < kDeepest) {
    stack.push_back({.back = back, .chosen = is_chosen(sample, resolver, to)});
    step.inside = step.inside || stack.back().chosen;
  }
  return step;
}

}  // namespace peregrine
