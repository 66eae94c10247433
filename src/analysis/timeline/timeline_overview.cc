#include "analysis/timeline/timeline_overview.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace peregrine {

namespace {

bool is_of_tasks(SumKind kind) {
  return kind == SumKind::TaskRuns || kind == SumKind::TaskWaits || kind == SumKind::TaskBlocks;
}

void fold(SlotSums& lane) {
  if (lane.sums.empty()) return;
  if (lane.first % 2 != 0) lane.sums.insert(lane.sums.begin(), 0.0F), --lane.first;
  const std::size_t half = (lane.sums.size() + 1) / 2;
  for (std::size_t at = 0; at < half; ++at)
    lane.sums[at] = lane.sums[2 * at] + (2 * at + 1 < lane.sums.size() ? lane.sums[2 * at + 1] : 0.0F);
  lane.sums.resize(half);
  lane.first /= 2;
}

// Keeps the task with the larger lead, which shrinks by the lead of the other.
void fold_runners(SlotSums& tasks, SlotSums& leads) {
  if (tasks.sums.empty()) return;
  if (tasks.first % 2 != 0) {
    tasks.sums.insert(tasks.sums.begin(), 0.0F), --tasks.first;
    leads.sums.insert(leads.sums.begin(), 0.0F), --leads.first;
  }
  const std::size_t half = (tasks.sums.size() + 1) / 2;
  for (std::size_t at = 0; at < half; ++at) {
    const std::size_t left = 2 * at, right = std::min(left + 1, tasks.sums.size() - 1);
    const bool same = tasks.sums[left] == tasks.sums[right];
    const std::size_t ahead = leads.sums[left] >= leads.sums[right] ? left : right;
    const float lead = right == left ? leads.sums[left]
                       : same        ? leads.sums[left] + leads.sums[right]
                                     : leads.sums[ahead] - leads.sums[left + right - ahead];
    tasks.sums[at] = tasks.sums[ahead];
    leads.sums[at] = lead;
  }
  tasks.sums.resize(half), leads.sums.resize(half);
  tasks.first /= 2, leads.first /= 2;
}

}  // namespace

void TimelineOverview::double_slots() {
  ++shift_;
  auto& runners = lanes_[static_cast<std::size_t>(SumKind::CpuTask)];
  for (std::size_t kind = 0; kind < kSumKinds; ++kind)
    if (kind != static_cast<std::size_t>(SumKind::CpuTask))
      for (SlotSums& lane : lanes_[kind]) fold(lane);
  for (std::size_t cpu = 0; cpu < runners.size(); ++cpu) fold_runners(runners[cpu], leads_[cpu]);
}

u32 TimelineOverview::slot_of(u64 time) {
  while (time >> shift_ >= kSlots) double_slots();
  return static_cast<u32>(time >> shift_);
}

SlotSums& TimelineOverview::lane(SumKind kind, u32 owner) {
  auto& lanes = lanes_[static_cast<std::size_t>(kind)];
  if (lanes.size() <= owner) lanes.resize(std::size_t{owner} + 1);
  if (is_of_tasks(kind) && lanes[owner].sums.empty()) {
    std::size_t& filled = filled_[static_cast<std::size_t>(kind)];
    if (filled >= kMostLanes) drop_least_busy(kind);
    ++filled;
  }
  return lanes[owner];
}

// Half of the lanes at once, so that the cost for each new lane is small.
void TimelineOverview::drop_least_busy(SumKind kind) {
  std::vector<std::pair<double, SlotSums*>> sums;
  for (SlotSums& lane : lanes_[static_cast<std::size_t>(kind)])
    if (!lane.sums.empty()) sums.emplace_back(std::accumulate(lane.sums.begin(), lane.sums.end(), 0.0), &lane);
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2);
  std::ranges::nth_element(sums, middle);
  for (auto lane = sums.begin(); lane != middle; ++lane) *lane->second = {};
  filled_[static_cast<std::size_t>(kind)] -= sums.size() / 2;
  partial_ = true;
}

float& TimelineOverview::at(SlotSums& lane, u32 slot) {
  if (lane.sums.empty()) lane.first = slot;
  if (slot < lane.first) {
    lane.sums.insert(lane.sums.begin(), lane.first - slot, 0.0F);
    lane.first = slot;
  }
  if (lane.sums.size() <= slot - lane.first) lane.sums.resize(slot - lane.first + 1);
  return lane.sums[slot - lane.first];
}

// The task that leads a vote of all ns. It need not have the majority, which is good enough for a colour.
void TimelineOverview::add_runner(u32 cpu, u32 slot, float time, u32 task) {
  if (leads_.size() <= cpu) leads_.resize(std::size_t{cpu} + 1);
  float& leader = at(lane(SumKind::CpuTask, cpu), slot);
  float& lead = at(leads_[cpu], slot);
  const auto own = static_cast<float>(task + 1);
  if (leader == own) {
    lead += time;
  } else if (lead >= time) {
    lead -= time;
  } else {
    leader = own;
    lead = time - lead;
  }
}

void TimelineOverview::add_time(SumKind kind, u32 owner, u64 from, u64 until, u32 task) {
  if (until <= from || (owner >= kMostLanes && !is_of_tasks(kind))) return;
  const u32 last = slot_of(until - 1);
  SlotSums& sums = lane(kind, owner);
  for (u32 slot = slot_of(from); slot <= last; ++slot) {
    const u64 begin = std::max(from, u64{slot} << shift_), end = std::min(until, (u64{slot} + 1) << shift_);
    const auto time = static_cast<float>(end - begin);
    at(sums, slot) += time;
    if (kind == SumKind::CpuRuns) add_runner(owner, slot, time, task);
  }
}

void TimelineOverview::add_event(u32 type, u64 time) {
  if (type >= kMostLanes) return;
  const u32 slot = slot_of(time);
  at(lane(SumKind::Events, type), slot) += 1;
}

}  // namespace peregrine
