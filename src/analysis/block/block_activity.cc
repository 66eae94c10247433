#include "analysis/block/block_activity.h"

#include <algorithm>
#include <cmath>

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;

constexpr std::size_t kMostIdle = 10;

}  // namespace

void BlockSeeks::add(const BlktraceRecord& record) {
  const auto is_near = [&](u64 sector) { return sector >= start_ && sector <= end_; };
  i64 distance = 0;
  if (!is_near(record.sector) && !is_near(record.end()))
    distance = static_cast<i64>(record.sector - (record.sector > end_ ? end_ : start_));
  start_ = record.sector;
  end_ = record.end();
  ++count_;
  sum_ += std::abs(static_cast<double>(distance));
  ++distances_[distance];
}

double BlockSeeks::mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

i64 BlockSeeks::median() const {
  u64 below = 0;
  for (const auto& [distance, count] : distances_) {
    below += count;
    if (below >= (count_ + 1) / 2) return distance;
  }
  return 0;
}

BlockSeeks::Mode BlockSeeks::mode() const {
  Mode most;
  for (const auto& [distance, count] : distances_)
    if (count > most.count) most = {distance, count};
  return most;
}

BlockTimeline::Step& BlockTimeline::at(u64 time) {
  const u64 since = time < start_ ? 0 : time - start_;
  while (since / step_ >= kMostSteps) {
    for (std::size_t i = 0; i < steps_.size(); i += 2) {
      Step sum = steps_[i];
      if (i + 1 < steps_.size()) {
        const Step& next = steps_[i + 1];
        sum.depth_time += next.depth_time;
        sum.most_depth = std::max(sum.most_depth, next.most_depth);
        sum.completed += next.completed;
        sum.bytes += next.bytes;
      }
      steps_[i / 2] = sum;
    }
    steps_.resize((steps_.size() + 1) / 2);
    step_ *= 2;
  }
  const auto index = static_cast<std::size_t>(since / step_);
  if (steps_.size() <= index) steps_.resize(index + 1);
  return steps_[index];
}

void BlockTimeline::depth(u64 time, u64 depth) {
  time = std::max(time, last_);
  at(time);  // so that the steps are long enough
  while (last_ < time) {
    Step& step = at(last_);
    const u64 rest = step_ - (last_ - start_) % step_;  // of this step
    const u64 end = time - last_ < rest ? time : last_ + rest;
    step.depth_time += static_cast<double>(depth_) * static_cast<double>(end - last_);
    step.most_depth = std::max(step.most_depth, depth_);
    last_ = end;
  }
  depth_ = depth;
  Step& step = at(time);
  step.most_depth = std::max(step.most_depth, depth);
}

void BlockTimeline::completed(u64 time, u64 bytes) {
  Step& step = at(time);
  ++step.completed;
  step.bytes += bytes;
}

void BlockActivity::add_idle(u64 start, u64 end) {
  if (end <= start) return;
  const Idle idle{start, end - start};
  const auto longer = [](const Idle& one, const Idle& other) { return one.duration > other.duration; };
  if (idle_.size() == kMostIdle && idle_.back().duration >= idle.duration) return;
  idle_.insert(std::ranges::upper_bound(idle_, idle, longer), idle);
  if (idle_.size() > kMostIdle) idle_.pop_back();
}

void BlockActivity::follow_plug(const BlktraceRecord& record) {
  if (record.is(BlockAction::Plug)) {
    if (!plugged_since_) plugged_since_ = record.time;
    return;
  }
  const bool timed = record.is(BlockAction::TimedUnplug);
  ++(timed ? timed_unplugs : unplugs);
  (timed ? timed_unplugged : unplugged) += record.number();
  if (plugged_since_) plugged_time += record.time < *plugged_since_ ? 0 : record.time - *plugged_since_;
  plugged_since_.reset();
}

void BlockActivity::follow_driver(const BlktraceRecord& record, std::size_t known) {
  if (record.is(BlockAction::Issue)) {
    if (depth_ == 0 && idle_since_) add_idle(*idle_since_, record.time);
    most_depth = std::max(most_depth, ++depth_);
    if (known != 0 && active_++ == 0) active_since_ = record.time;
  } else {
    if (depth_ != 0 && --depth_ == 0) idle_since_ = record.time;
    if (known != 0 && active_ != 0 && --active_ == 0) {
      ++active_periods;
      active_time += record.time < active_since_ ? 0 : record.time - active_since_;
    }
  }
  timeline.depth(record.time, depth_);
}

void BlockActivity::add_wait(u64 queue_to_issue_time) {
  const auto above = std::ranges::upper_bound(kQueueToIssueBounds, queue_to_issue_time / 1'000'000);
  ++queue_to_issue[static_cast<std::size_t>(above - kQueueToIssueBounds.begin())];
}

void BlockActivity::add(const BlktraceRecord& record, std::size_t known) {
  if (record.has(abi::block_trait::Notice | abi::block_trait::Passthrough)) return;
  const auto action = static_cast<BlockAction>(record.action);
  if (action == BlockAction::Plug || action == BlockAction::Unplug || action == BlockAction::TimedUnplug)
    return follow_plug(record);
  if (record.sectors() == 0) return;
  first = started_ ? std::min(first, record.time) : record.time;
  started_ = true;
  last = std::max(last, record.time);
  timeline.begin(first);
  switch (action) {
    case BlockAction::Queue:
      ++queued;
      queue_seeks.add(record);
      waiting_at_queue += waiting_++;
      return;
    case BlockAction::BackMerge:
    case BlockAction::FrontMerge:
      if (waiting_ != 0) --waiting_;
      return;
    case BlockAction::Issue:
      ++issued;
      issue_seeks.add(record);
      fewest_sectors = issued == 1 ? record.sectors() : std::min<u64>(fewest_sectors, record.sectors());
      most_sectors = std::max<u64>(most_sectors, record.sectors());
      total_sectors += record.sectors();
      if (waiting_ != 0) --waiting_;
      return follow_driver(record, known);
    case BlockAction::Requeue:
      ++waiting_;
      return follow_driver(record, known);
    case BlockAction::Complete:
      timeline.completed(record.time, record.bytes);
      return follow_driver(record, known);
    default:
      return;
  }
}

}  // namespace peregrine
