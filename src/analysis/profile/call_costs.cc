#include "analysis/profile/call_costs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/hist/chain/chain_tree.h"
#include "base/container/string_pool.h"
#include "base/types.h"

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
    add_root();
    make_bodies();
    return std::move(result_);
  }

 private:
  struct Place {  // a frame's function and line
    u32 function = 0, line = 0;
  };
  using Edge = std::tuple<u32, u32, u32, u32>;  // caller, line, callee, its line
  struct Calls {
    CallCosts::Costs costs;
    u64 samples = 0;
    u32 last_stack = 0;  // the last stack that counted its samples here
  };
  void name_functions();
  void sum_stacks();
  void add_stack(ChainId stack, const CallCosts::Costs& costs);
  void add_frameless(const CallCosts::Costs& costs);
  void add_root();
  void make_bodies();
  u32 add_function(std::string_view name) {
    result_.functions.push_back({.name = result_.texts.intern(name), .file = {}, .dso = CallCosts::kNoDso});
    stack_of_.push_back(0);
    return static_cast<u32>(result_.functions.size() - 1);
  }

  const Profile& profile_;
  CallCosts result_;
  std::vector<Place> places_;                            // by frame
  std::map<u32, CallCosts::Costs> by_stack_;             // own costs, by ChainId
  std::map<std::pair<u32, u32>, CallCosts::Costs> own_;  // by function and line
  std::map<Edge, Calls> calls_;
  std::map<std::pair<u32, u32>, CallCosts::Costs> outermost_;  // costs of stacks by their outermost function and line
  std::vector<u32> stack_of_;                                  // by function: the last stack that contains it
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
  stack_of_.resize(result_.functions.size());
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
  if (stack == kRootChain) return add_frameless(costs);
  std::vector<Place> frames;  // innermost first
  for (ChainId at = stack; at != kRootChain; at = profile_.stacks.parent(at))
    frames.push_back(places_[profile_.stacks.frame(at).value]);
  add(own_[{frames.front().function, frames.front().line}], costs);
  Place caller = frames.back();
  add(outermost_[{caller.function, caller.line}], costs);
  stack_of_[caller.function] = stack.value;
  for (std::size_t at = frames.size() - 1; at-- > 0;) {
    const Place callee = frames[at];
    Calls& calls = calls_[{caller.function, caller.line, callee.function, callee.line}];
    if (calls.last_stack != stack.value) calls.samples += costs.back();
    calls.last_stack = stack.value;
    calls.costs.resize(costs.size());
    if (stack_of_[callee.function] != stack.value) add(calls.costs, costs);
    stack_of_[callee.function] = stack.value;
    caller = callee;
  }
}

void CallCounter::add_frameless(const CallCosts::Costs& costs) {
  const u32 unknown = add_function("[unknown]");
  add(own_[{unknown, 0}], costs);
  add(outermost_[{unknown, 0}], costs);
}

void CallCounter::add_root() {
  std::vector<bool> called(result_.functions.size());
  for (const auto& [edge, calls] : calls_) called[std::get<2>(edge)] = true;
  if (std::ranges::none_of(outermost_, [&](const auto& one) { return called[one.first.first]; })) return;
  const u32 root = add_function("(root)");
  for (auto& [place, costs] : outermost_) {
    const u64 samples = costs.back();
    calls_[{root, 0, place.first, place.second}] = {.costs = std::move(costs), .samples = samples};
  }
}

void CallCounter::make_bodies() {
  result_.bodies.resize(result_.functions.size());
  for (auto& [at, costs] : own_)
    result_.bodies[at.first].lines.push_back({.line = at.second, .costs = std::move(costs)});
  for (auto& [edge, calls] : calls_) {
    const auto& [caller, line, callee, callee_line] = edge;
    result_.bodies[caller].calls.push_back({.line = line,
                                            .callee = callee,
                                            .callee_line = callee_line,
                                            .samples = calls.samples,
                                            .costs = std::move(calls.costs)});
  }
}

}  // namespace

CallCosts call_costs(const Profile& profile) { return CallCounter(profile).count(); }

}  // namespace peregrine
