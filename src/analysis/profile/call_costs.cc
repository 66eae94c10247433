#include "analysis/profile/call_costs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace peregrine {
namespace {

void add(CallCosts::Costs& sum, const CallCosts::Costs& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t at = 0; at < more.size(); ++at) sum[at] += more[at];
}

class CallCounter {
 public:
  explicit CallCounter(const Profile& profile) : profile_(profile) {}

  CallCosts count() {
    for (u32 event = 0; event < profile_.events.size(); ++event)
      if (profile_.events[event].samples != 0) result_.events.push_back(event);
    name_functions();
    sum_stacks();
    for (const auto& [stack, costs] : by_stack_) add_stack(ChainId(stack), costs);
    make_bodies();
    return std::move(result_);
  }

 private:
  struct Place {  // of a frame
    u32 function = 0, line = 0;
  };
  using Edge = std::tuple<u32, u32, u32, u32>;  // caller, line, callee, its line
  void name_functions();
  void sum_stacks();
  void add_stack(ChainId stack, const CallCosts::Costs& costs);
  void make_bodies();

  const Profile& profile_;
  CallCosts result_;
  std::vector<Place> places_;                               // by frame
  std::map<u32, CallCosts::Costs> by_stack_;                // own costs, by ChainId
  std::map<std::pair<u32, u32>, CallCosts::Costs> own_;     // by function and line
  std::map<Edge, std::pair<CallCosts::Costs, u32>> calls_;  // and the stack that it was last counted for
};

void CallCounter::name_functions() {
  std::map<std::tuple<u32, u32, u32>, u32> known;
  for (const ProfileFrame& frame : profile_.frames) {
    const StringId name = result_.texts.intern(frame_name(profile_, frame));
    const StringId file = frame.file.valid() ? result_.texts.intern(profile_.text(frame.file)) : StringId();
    const auto [at, fresh] =
        known.try_emplace({name.value, file.value, frame.dso}, static_cast<u32>(result_.functions.size()));
    if (fresh) result_.functions.push_back({.name = name, .file = file, .dso = frame.dso});
    places_.push_back({.function = at->second, .line = frame.line});
  }
}

void CallCounter::sum_stacks() {
  std::vector<std::size_t> column(profile_.events.size());
  for (std::size_t at = 0; at < result_.events.size(); ++at) column[result_.events[at]] = at;
  const std::size_t width = result_.events.size() + 1;
  result_.total.resize(width);
  for (const ProfileSample& sample : profile_.samples) {
    CallCosts::Costs& costs = by_stack_[sample.stack.value];
    costs.resize(width);
    costs[column[sample.event]] += sample.period;
    costs[width - 1] += sample.samples;
    result_.total[column[sample.event]] += sample.period;
    result_.total[width - 1] += sample.samples;
  }
}

void CallCounter::add_stack(ChainId stack, const CallCosts::Costs& costs) {
  if (stack == kRootChain) return;
  const Place leaf = places_[profile_.stacks.frame(stack).value];
  add(own_[{leaf.function, leaf.line}], costs);
  Place callee = leaf;
  for (ChainId at = profile_.stacks.parent(stack); at != kRootChain; at = profile_.stacks.parent(at)) {
    const Place caller = places_[profile_.stacks.frame(at).value];
    auto& [sum, last] = calls_[{caller.function, caller.line, callee.function, callee.line}];
    if (last != stack.value) add(sum, costs);
    last = stack.value;
    callee = caller;
  }
}

void CallCounter::make_bodies() {
  result_.bodies.resize(result_.functions.size());
  for (auto& [at, costs] : own_)
    result_.bodies[at.first].lines.push_back({.line = at.second, .costs = std::move(costs)});
  for (auto& [edge, sum] : calls_) {
    const auto& [caller, line, callee, callee_line] = edge;
    result_.bodies[caller].calls.push_back(
        {.line = line, .callee = callee, .callee_line = callee_line, .costs = std::move(sum.first)});
  }
}

}  // namespace

CallCosts call_costs(const Profile& profile) { return CallCounter(profile).count(); }

}  // namespace peregrine
