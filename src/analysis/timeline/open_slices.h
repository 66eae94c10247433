// OpenSlices: system calls, interrupts and I/O requests between their first and last event.
//
// Memory: a limit for each kind. Past it, the older half of that kind is dropped and counted.
#pragma once
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline_overview.h"
#include "analysis/timeline/timeline_rows.h"
#include "base/types.h"

namespace peregrine {

class OpenSlices {
 public:
  // `rows` and `overview` get the slices. Both must outlive this.
  OpenSlices(std::vector<LaneSlice>& rows, TimelineOverview& overview) : rows_(rows), overview_(overview) {}

  // Of one owner and key, one slice of each kind is open at a time: a second start means that an end was lost. `key`
  // distinguishes requests of a device.
  void start(u64 time, SliceKind kind, u32 owner, u32 name, u64 key = 0);
  void end(u64 time, SliceKind kind, u32 owner, u64 key = 0);
  // The end of an open slice was lost.
  void forget(SliceKind kind, u32 owner) { open_of(kind).erase({owner, 0}); }
  // The text of the owner's open slice.
  std::optional<u32> open_name(SliceKind kind, u32 owner) const;
  // Adds the slices that continue after the end of a block, as open ones.
  void cut(u64 time);
  u64 dropped() const { return dropped_; }

 private:
  struct Key {
    u32 owner = 0;
    u64 key = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Open {
    LaneSlice slice;
    u64 summed = 0;
  };
  using OpenOfKind = std::unordered_map<Key, Open, KeyHash>;
  OpenOfKind& open_of(SliceKind kind) { return open_[static_cast<std::size_t>(kind)]; }
  void sum(u64 time, Open& open);

  std::vector<LaneSlice>& rows_;
  TimelineOverview& overview_;
  std::array<OpenOfKind, std::size(kSliceKindNames)> open_;
  u64 dropped_ = 0;
};

}  // namespace peregrine
