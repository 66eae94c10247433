#include "analysis/block/block_steps.h"

#include <utility>

#include "abi/blktrace_record.h"
#include "analysis/forget_older_half.h"

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;

std::optional<BlockStep> since(u64 before, u64 now, u32 owner) {
  if (before == 0 || now < before) return std::nullopt;
  return BlockStep{.took = now - before, .owner = owner};
}

}  // namespace

std::optional<BlockStep> BlockSteps::complete(const Key& key, const BlktraceRecord& record) {
  const auto found = tracks_.find(key);
  if (found == tracks_.end()) return std::nullopt;
  const Track track = found->second;
  tracks_.erase(found);
  return since(track.issued, record.time, track.owner);
}

std::optional<BlockStep> BlockSteps::add(const BlktraceRecord& record) {
  if (record.has(abi::block_trait::Notice | abi::block_trait::Passthrough)) return std::nullopt;
  const Key key{record.device, record.sector};
  switch (static_cast<BlockAction>(record.action)) {
    case BlockAction::Queue:
    case BlockAction::GetRequest: {
      if (tracks_.size() > kMostTracked)
        forget_older_half(tracks_, [](const auto& entry) { return entry.second.last(); });
      Track& track = tracks_[key];
      track.owner = record.pid;
      if (record.is(BlockAction::GetRequest)) track.got = record.time;
      return std::nullopt;
    }
    case BlockAction::FrontMerge: {
      auto behind = tracks_.extract({record.device, record.sector + record.sectors()});
      if (behind.empty()) return std::nullopt;
      behind.key() = key;
      tracks_.insert(std::move(behind));
      return std::nullopt;
    }
    case BlockAction::Insert: {
      Track& track = tracks_[key];
      track.inserted = record.time;
      return since(track.got, record.time, track.owner);
    }
    case BlockAction::Issue: {
      const auto track = tracks_.find(key);
      if (track == tracks_.end()) return std::nullopt;
      track->second.issued = record.time;
      return since(track->second.inserted, record.time, track->second.owner);
    }
    case BlockAction::Complete:
      return record.has(abi::block_trait::FileSystem) ? complete(key, record) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace peregrine
