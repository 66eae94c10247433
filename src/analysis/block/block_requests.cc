#include "analysis/block/block_requests.h"

#include "analysis/forget_older_half.h"

#include <iterator>
#include <utility>

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;

// How many requests before a sector are searched for one that covers it: more can only be left of lost events.
constexpr unsigned kMostSteps = 256;

}  // namespace

void BlockRequests::took(const BlockRequest& request, BlockPhase phase, u64 from, u64 until) {
  callbacks_.took(request, phase, until < from ? 0 : until - from);
}

// The newest request that starts at the sector, or else one that contains it.
BlockRequest* BlockRequests::covering(Disk& disk, u64 sector) {
  auto at = disk.pending.upper_bound(sector);
  for (unsigned step = 0; step < kMostSteps && at != disk.pending.begin(); ++step) {
    --at;
    if (at->second.end > sector) return &at->second;
  }
  return nullptr;
}

void BlockRequests::limit(Disk& disk) {
  if (disk.pending.size() > kMostPending)
    forget_older_half(disk.pending, [](const auto& entry) { return entry.second.queued; });
  if (disk.asleep.size() > kMostPending) forget_older_half(disk.asleep, [](const auto& entry) { return entry.second; });
}

std::size_t BlockRequests::pending() const {
  std::size_t count = 0;
  for (const auto& [group, disk] : disks_) count += disk.pending.size() + disk.asleep.size();
  return count;
}

void BlockRequests::queue(Disk& disk, const BlockEvent& event) {
  BlockRequest request;
  request.sector = event.record.sector;
  request.end = event.record.end();
  request.queued = event.record.time;
  request.group = event.group;
  callbacks_.label(request, event);
  disk.pending.emplace(request.sector, std::move(request));
}

void BlockRequests::split(Disk& disk, const BlktraceRecord& record) {
  const u64 middle = record.number();
  BlockRequest* const whole = covering(disk, record.sector);
  if (whole == nullptr || middle <= whole->sector || middle >= whole->end) return;
  BlockRequest rest = *whole;
  whole->end = rest.sector = middle;
  disk.pending.emplace(middle, std::move(rest));
}

std::size_t BlockRequests::get(Disk& disk, const BlktraceRecord& record) {
  BlockRequest* const request = covering(disk, record.sector);
  if (request == nullptr) return 0;
  took(*request, BlockPhase::Q2G, request->queued, record.time);
  request->got = record.time;
  if (const auto asleep = disk.asleep.find(record.sector); asleep != disk.asleep.end()) {
    took(*request, BlockPhase::S2G, asleep->second, record.time);
    disk.asleep.erase(asleep);
  }
  return 1;
}

std::size_t BlockRequests::insert(Disk& disk, const BlktraceRecord& record) {
  BlockRequest* const request = covering(disk, record.sector);
  if (request == nullptr) return 0;
  if (request->got != 0) took(*request, BlockPhase::G2I, request->got, record.time);
  request->inserted = record.time;
  return 1;
}

std::size_t BlockRequests::merge(Disk& disk, const BlktraceRecord& record) {
  BlockRequest* const request = covering(disk, record.sector);
  if (request == nullptr) return 0;
  took(*request, BlockPhase::Q2M, request->queued, record.time);
  request->merged = record.time;
  return 1;
}

// Calls use(place) for each queued request inside of the event's sectors; it may erase the request. Returns how often
// it returned true.
template <class Use>
std::size_t BlockRequests::each_inside(Disk& disk, const BlktraceRecord& record, const Use& use) {
  std::size_t found = 0;
  for (auto next = disk.pending.lower_bound(record.sector); next != disk.pending.end() && next->first < record.end();) {
    const auto place = next++;
    if (place->second.end <= record.end() && use(place)) ++found;
  }
  return found;
}

std::size_t BlockRequests::issue(Disk& disk, const BlktraceRecord& record) {
  return each_inside(disk, record, [&](Pending::iterator place) {
    BlockRequest& request = place->second;
    if (request.inserted != 0)
      took(request, BlockPhase::I2D, request.inserted, record.time);
    else if (request.merged != 0)
      took(request, BlockPhase::M2D, request.merged, record.time);
    request.issued = record.time;
    return true;
  });
}

// The driver returns the request; it is issued again later.
std::size_t BlockRequests::requeue(Disk& disk, const BlktraceRecord& record) {
  return each_inside(disk, record, [](Pending::iterator place) { return std::exchange(place->second.issued, 0) != 0; });
}

std::size_t BlockRequests::complete(Disk& disk, const BlktraceRecord& record) {
  return each_inside(disk, record, [&](Pending::iterator place) {
    const BlockRequest& request = place->second;
    if (request.issued != 0) took(request, BlockPhase::D2C, request.issued, record.time);
    took(request, BlockPhase::Q2C, request.queued, record.time);
    disk.pending.erase(place);
    return true;
  });
}

// A device on top of others (dm, md): its request continues on the device below.
void BlockRequests::remap(const BlockEvent& event) {
  const auto remap = abi::block_remap(event.record);
  if (!remap) return;
  const auto above = disks_.find(remap->from);
  if (above == disks_.end() || remap->from == event.group) return;
  if (const BlockRequest* const request = covering(above->second, remap->from_sector))
    took(*request, BlockPhase::Q2A, request->queued, event.record.time);
}

std::size_t BlockRequests::add(const BlockEvent& event) {
  const BlktraceRecord& record = event.record;
  if (record.has(abi::block_trait::Notice | abi::block_trait::Passthrough)) return 0;
  Disk& disk = disks_[event.group];
  limit(disk);
  if (record.is(BlockAction::Split)) return split(disk, record), 0;
  if (record.sectors() == 0) return 0;
  switch (static_cast<BlockAction>(record.action)) {
    case BlockAction::Queue:
      return queue(disk, event), 1;
    case BlockAction::Sleep:
      return disk.asleep[record.sector] = record.time, 0;
    case BlockAction::GetRequest:
      return get(disk, record);
    case BlockAction::Insert:
      return insert(disk, record);
    case BlockAction::BackMerge:
    case BlockAction::FrontMerge:
      return merge(disk, record);
    case BlockAction::Issue:
      return issue(disk, record);
    case BlockAction::Requeue:
      return requeue(disk, record);
    case BlockAction::Complete:
      return complete(disk, record);
    case BlockAction::Remap:
      return remap(event), 0;
    default:
      return 0;
  }
}

}  // namespace peregrine
