#include "analysis/block/block_totals.h"

#include <algorithm>

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;
namespace trait = abi::block_trait;

void leave_driver(u64& now) {
  if (now != 0) --now;
}

void follow_depth(const BlktraceRecord& record, BlockDeviceTotals& device) {
  u64& now = record.has(trait::Write) ? device.writes_now : device.reads_now;
  u64& most = record.has(trait::Write) ? device.write_depth : device.read_depth;
  if (record.is(BlockAction::Issue)) most = std::max(most, ++now);
  if (record.is(BlockAction::Complete) || record.is(BlockAction::Requeue)) leave_driver(now);
}

}  // namespace

void BlockDirections::add(const BlktraceRecord& record) {
  (record.has(trait::Write) ? writes : reads).add({.requests = 1, .bytes = record.bytes});
}

void BlockSums::add(const BlktraceRecord& record) {
  const bool command = record.has(trait::Passthrough);
  switch (static_cast<BlockAction>(record.action)) {
    case BlockAction::Queue:
      return (command ? commands_queued : queued).add(record);
    case BlockAction::BackMerge:
    case BlockAction::FrontMerge:
      return merged.add(record);
    case BlockAction::Issue:
      return (command ? commands_dispatched : dispatched).add(record);
    case BlockAction::Requeue:
      return (command ? commands_requeued : requeued).add(record);
    case BlockAction::Complete:
      return (command ? commands_completed : completed).add(record);
    case BlockAction::Unplug:
      ++unplugs;
      return;
    case BlockAction::TimedUnplug:
      ++timed_unplugs;
      return;
    default:
      return;
  }
}

void BlockSums::add(const BlockSums& other) {
  constexpr BlockDirections BlockSums::* kParts[] = {&BlockSums::queued,
                                                     &BlockSums::dispatched,
                                                     &BlockSums::requeued,
                                                     &BlockSums::completed,
                                                     &BlockSums::merged,
                                                     &BlockSums::commands_queued,
                                                     &BlockSums::commands_dispatched,
                                                     &BlockSums::commands_requeued,
                                                     &BlockSums::commands_completed};
  for (const auto part : kParts) (this->*part).add(other.*part);
  unplugs += other.unplugs;
  timed_unplugs += other.timed_unplugs;
}

bool BlockSums::has_commands() const {
  const auto any = [](const BlockDirections& part) { return part.reads.requests + part.writes.requests != 0; };
  return any(commands_queued) || any(commands_dispatched) || any(commands_requeued) || any(commands_completed);
}

BlockSums BlockDeviceTotals::sums() const {
  BlockSums all;
  for (const auto& [cpu, sums] : cpus) all.add(sums);
  return all;
}

BlockProcessTotals& BlockTotals::process(u32 pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return known->second;
  return processes_[processes_.size() < kMostProcesses ? pid : kOtherThreads];
}

void BlockTotals::add_to_process(const BlockEvent& event, const std::optional<BlockStep>& step) {
  const BlktraceRecord& record = event.record;
  BlockProcessTotals& thread = process(record.pid);
  if (!event.comm.empty()) thread.name = event.comm;
  thread.sums.add(record);
  if (!step) return;
  BlockProcessTotals& owner = process(step->owner);
  BlockProcessTotals::Waits& waits = record.is(BlockAction::Insert)  ? owner.allocation
                                     : record.is(BlockAction::Issue) ? owner.dispatch
                                                                     : owner.completion;
  u64& longest = record.has(trait::Write) ? waits.writes : waits.reads;
  longest = std::max(longest, step->took);
}

void BlockTotals::add(const BlockEvent& event, const std::optional<BlockStep>& step) {
  const BlktraceRecord& record = event.record;
  if (record.has(trait::Notice) && !record.is(abi::BlockNotice::Message)) return;
  if (record.is(BlockAction::DriverData)) return;
  BlockDeviceTotals& device = devices_[event.group];
  ++device.events;
  ++device.cpu_events[record.cpu];
  if (record.has(trait::Notice)) return;
  if (device.cpus.empty() || record.time < device.first) device.first = record.time;
  device.last = std::max(device.last, record.time);
  device.cpus[record.cpu].add(record);
  if (counts_processes_) add_to_process(event, step);
  follow_depth(record, device);
}

}  // namespace peregrine
