#include "analysis/hist/picture/stack_profile.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/picture/stack_order.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr u32 kUnplaced = 0xffffffffu;

// Merges adjacent weights with the same stack, time and thread. The input is ordered by them.
template <class Weight, class Time>
void join_equal(std::vector<Weight>& weights, Time Weight::* time) {
  const auto place = [&](const Weight& weight) { return std::tuple(weight.stack, weight.*time, weight.thread); };
  std::size_t last = 0;
  for (std::size_t at = 1; at < weights.size(); ++at) {
    if (place(weights[at]) == place(weights[last])) {
      weights[last].samples += weights[at].samples;
      weights[last].period += weights[at].period;
    } else {
      weights[++last] = weights[at];
    }
  }
  if (!weights.empty()) weights.resize(last + 1);
}

// Orders weights by stack, time and thread, and merges equal ones. A counting sort by stack leaves only short runs to
// sort, which are mostly in time order already.
template <class Weight, class Time>
void sum_up(std::vector<Weight>& weights, Time Weight::* time, std::size_t stacks) {
  std::vector<std::size_t> first(stacks + 1);
  for (const Weight& weight : weights) ++first[weight.stack + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Weight> ordered(weights.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const Weight& weight : weights) ordered[next[weight.stack]++] = weight;
  for (std::size_t stack = 0; stack < stacks; ++stack) {
    const std::span<Weight> own = std::span(ordered).subspan(first[stack], first[stack + 1] - first[stack]);
    const auto place = [&](const Weight& weight) { return std::pair(weight.*time, weight.thread); };
    if (!std::ranges::is_sorted(own, {}, place)) std::ranges::sort(own, {}, place);
  }
  weights = std::move(ordered);
  join_equal(weights, time);
}

// For each stack with its descendants, its largest share of any series.
std::vector<double> shares_of(const StackProfile& profile) {
  std::vector<double> widest(profile.stacks.size());
  for (const StackSeries& series : profile.series) {
    const double whole = static_cast<double>(std::max<u64>(series.period(), 1));
    std::vector<u64> sums(profile.stacks.size());
    for (const StackWeight& weight : series.weights) sums[weight.stack] += weight.period;
    for (std::size_t at = sums.size(); at-- > 1;) sums[profile.stacks[at].parent] += sums[at];
    for (std::size_t at = 0; at < sums.size(); ++at)
      widest[at] = std::max(widest[at], static_cast<double>(sums[at]) / whole);
  }
  return widest;
}

u32 narrow_frame(StackProfile& profile) {
  const auto found = std::ranges::find(profile.frames, CodeKind::Narrow, &StackFrame::kind);
  if (found != profile.frames.end()) return static_cast<u32>(found - profile.frames.begin());
  profile.texts.emplace_back("[narrower stacks]");
  profile.frames.push_back({static_cast<u32>(profile.texts.size() - 1), 0, CodeKind::Narrow});
  return static_cast<u32>(profile.frames.size() - 1);
}

// Keeps stacks with at least that share. The others are summed in one "narrower" frame per kept parent.
void join_narrow(StackProfile& profile, const std::vector<double>& shares, double least) {
  const u32 narrow = narrow_frame(profile);
  std::vector<Stack> kept{profile.stacks[0]};
  std::vector<u32> place(profile.stacks.size()), rest{0};  // `rest`: by kept stack, its child for narrow stacks
  std::vector<bool> gone(profile.stacks.size());
  for (u32 at = 1; at < profile.stacks.size(); ++at) {
    const Stack& stack = profile.stacks[at];
    gone[at] = gone[stack.parent] || stack.frame == narrow || shares[at] < least;
    const u32 parent = place[stack.parent];
    if (gone[stack.parent] || (gone[at] && rest[parent] != 0)) {
      place[at] = gone[stack.parent] ? parent : rest[parent];
      continue;
    }
    place[at] = static_cast<u32>(kept.size());
    if (gone[at]) rest[parent] = place[at];
    kept.push_back({parent, gone[at] ? narrow : stack.frame});
    rest.push_back(0);
  }
  profile.stacks = std::move(kept);
  for (StackSeries& series : profile.series) {
    for (StackWeight& weight : series.weights) weight.stack = place[weight.stack];
    sum_up(series.weights, &StackWeight::slot, profile.stacks.size());
  }
}

std::size_t weight_count(const StackProfile& profile) {
  std::size_t count = 0;
  for (const StackSeries& series : profile.series) count += series.weights.size();
  return count;
}

void halve_slots(StackProfile& profile) {
  profile.slot_length *= 2;
  profile.slots = (profile.slots + 1) / 2;
  for (StackSeries& series : profile.series) {
    for (StackWeight& weight : series.weights) weight.slot /= 2;
    sum_up(series.weights, &StackWeight::slot, profile.stacks.size());
  }
}

void join_threads(StackProfile& profile) {
  profile.has_threads = false;
  for (StackSeries& series : profile.series) {
    for (StackWeight& weight : series.weights) weight.thread = 0;
    sum_up(series.weights, &StackWeight::slot, profile.stacks.size());
  }
}

}  // namespace

u64 StackSeries::samples() const {
  u64 sum = 0;
  for (const StackWeight& weight : weights) sum += weight.samples;
  return sum;
}

u64 StackSeries::period() const {
  u64 sum = 0;
  for (const StackWeight& weight : weights) sum += weight.period;
  return sum;
}

void StackProfileMaker::name_frames(Recording& recording) {
  const FaceTable faces(recording.hists.frames(), recording.naming, {.dso = true, .symbol = true});
  for (u32 at = 0; at < recording.hists.frames().size(); ++at) {
    const FrameLook& look = faces.look(HistFrameId(at));
    const std::string_view dso = faces.text(look.dso);
    const bool has_symbol = look.symbol.valid();
    const u32 name = has_symbol ? table_.text(faces.text(look.symbol)) : table_.text(unresolved_name(dso));
    const CodeKind kind = look.inlined ? CodeKind::Inlined : code_kind(look.level, has_symbol, dso);
    recording.frames.push_back(table_.frame({name, table_.text(dso), kind}));
  }
  const ChainTree& chains = recording.hists.chains();
  recording.has_callees.resize(chains.size());
  for (u32 at = 1; at < chains.size(); ++at) recording.has_callees[chains.parent(ChainId(at)).value] = true;
}

// An unmapped outermost frame that has callees is where unwinding failed.
u32 StackProfileMaker::outermost_frame(const Recording& recording, ChainId chain) {
  const HistFrameId known = recording.hists.chains().frame(chain);
  const u32 shown = recording.frames[known.value];
  const bool mapped = recording.hists.frames()[known].dso != HistFrame::kNone;
  if (mapped || !recording.has_callees[chain.value]) return shown;
  return table_.frame({table_.text("[broken stack]"), table_[shown].dso, CodeKind::Unresolved});
}

u32 StackProfileMaker::stack_of(const Recording& recording, ChainId chain, u32 bottom) {
  const ChainTree& chains = recording.hists.chains();
  path_.clear();
  while (chain != kRootChain && stack_of_chain_[chain.value] == kUnplaced) {
    path_.push_back(chain);
    chain = chains.parent(chain);
  }
  u32 stack = chain == kRootChain ? bottom : stack_of_chain_[chain.value];
  for (std::size_t at = path_.size(); at-- > 0;) {
    const bool outermost = chains.parent(path_[at]) == kRootChain;
    stack = table_.child(
        stack, outermost ? outermost_frame(recording, path_[at]) : recording.frames[chains.frame(path_[at]).value]);
    stack_of_chain_[path_[at].value] = stack;
    seen_.push_back(path_[at].value);
  }
  return stack;
}

std::vector<std::vector<u32>> StackProfileMaker::entries_by_comm(Recording& recording, const StackSource& source,
                                                                 std::vector<u32>& bottoms) {
  const Hists& hists = recording.hists;
  std::unordered_map<u64, u32> comms;
  std::vector<u32> comm_of_group(hists.groups().size(), kUnplaced);  // index into the result
  for (u32 at = 0; at < comm_of_group.size(); ++at) {
    const std::span<const u64> values = hists.groups()[GroupId(at)];
    if (values[0] != source.event) continue;
    const u64 value = values[source.comm_column];
    const auto [comm, fresh] = comms.try_emplace(value, static_cast<u32>(bottoms.size()));
    if (fresh)
      bottoms.push_back(
          table_.child(0, table_.frame({table_.text(recording.naming.text(SortKey::Comm, value)), 0, CodeKind::Comm})));
    comm_of_group[at] = comm->second;
  }
  std::vector<std::vector<u32>> entries(bottoms.size());
  for (u32 at = 0; at < hists.entries().size(); ++at) {
    const u32 comm = comm_of_group[hists.entries()[at].group];
    if (comm != kUnplaced && (source.kept_entries.empty() || source.kept_entries[at])) entries[comm].push_back(at);
  }
  return entries;
}

void StackProfileMaker::add(Recording& recording, const StackSource& source) {
  const Hists& hists = recording.hists;
  if (recording.frames.empty()) name_frames(recording);
  std::vector<u32> bottoms;  // by comm: its bottom stack
  const std::vector<std::vector<u32>> entries = entries_by_comm(recording, source, bottoms);
  std::vector<TimedWeight> weights;
  weights.reserve(hists.entries().size());
  stack_of_chain_.assign(hists.chains().size(), kUnplaced);
  for (std::size_t comm = 0; comm < entries.size(); ++comm) {
    for (const u32 at : entries[comm]) {
      const HistEntry& entry = hists.entries()[at];
      const std::span<const u64> values = hists.groups()[GroupId(entry.group)];
      weights.push_back({.stack = stack_of(recording, ChainId(entry.chain), bottoms[comm]),
                         .time = source.time_column ? values[*source.time_column] : 0,
                         .samples = entry.samples,
                         .period = entry.period,
                         .thread = source.thread_column ? static_cast<u32>(values[*source.thread_column]) : 0});
    }
    for (const u32 chain : seen_) stack_of_chain_[chain] = kUnplaced;
    seen_.clear();
  }
  timed_.push_back(std::move(weights));
  profile_.has_threads = source.thread_column.has_value();
  profile_.series.push_back({source.name, {}});
}

void StackProfileMaker::place_in_time(u64 slot_length, u32 most_slots) {
  u64 first = ~u64{0}, last = 0;
  for (const auto& weights : timed_)
    for (const TimedWeight& weight : weights) {
      if (weight.time == 0) continue;  // no time recorded
      first = std::min(first, weight.time);
      last = std::max(last, weight.time);
    }
  if (slot_length == 0 || first > last) return;
  profile_.start = first;
  // Rounds up without computing a sum that could overflow for a damaged time.
  profile_.slot_length = slot_length * ((last - first) / slot_length / most_slots + 1);
  profile_.slots = static_cast<u32>((last - first) / profile_.slot_length + 1);
}

StackProfile StackProfileMaker::finish(u64 slot_length, u32 most_slots) {
  table_.take(profile_.texts, profile_.frames, profile_.stacks);
  const std::vector<u32> place = order_stacks(profile_);
  place_in_time(slot_length, most_slots);
  for (std::size_t series = 0; series < timed_.size(); ++series) {
    for (TimedWeight& weight : timed_[series]) weight.stack = place[weight.stack];
    sum_up(timed_[series], &TimedWeight::time, place.size());
    std::vector<StackWeight>& weights = profile_.series[series].weights;
    weights.reserve(timed_[series].size());
    for (const TimedWeight& weight : timed_[series]) {
      const bool placed = profile_.slot_length != 0 && weight.time != 0;
      const u32 slot = placed ? static_cast<u32>((weight.time - profile_.start) / profile_.slot_length) : 0;
      weights.push_back({weight.stack, slot, weight.samples, weight.period, weight.thread});
    }
    sum_up(weights, &StackWeight::slot, place.size());
  }
  return std::move(profile_);
}

double fit_profile(StackProfile& profile, const StackLimits& limits) {
  constexpr u32 kFewSlots = 100;
  const std::vector<double> shares = shares_of(profile);
  double least = 0;
  const auto too_many = [&](double share) {
    return static_cast<std::size_t>(std::ranges::count_if(shares, [&](double own) { return own >= share; })) >
           limits.stacks;
  };
  while (too_many(least)) least = least == 0 ? 1e-6 : least * 1.5;
  if (least > 0) join_narrow(profile, shares, least);
  // Weights of so many threads would need coarser slots than the picture can afford.
  if (profile.has_threads && weight_count(profile) > 8 * limits.weights) join_threads(profile);
  while (weight_count(profile) > limits.weights && profile.slots > kFewSlots) halve_slots(profile);
  if (profile.has_threads && weight_count(profile) > limits.weights) join_threads(profile);
  while (weight_count(profile) > limits.weights && least < 0.01) {
    least = least == 0 ? 1e-5 : least * 2;
    join_narrow(profile, shares_of(profile), least);
  }
  return least;
}

}  // namespace peregrine
