// RecentMaps: finds the map of an address, for one worker that looks up many nearby addresses.
//
// A slot holds the last answer for addresses that hash to it, with the range for which it is valid. A worker's results
// for (dso, dso address) are shared by all processes that map the dso; only this step depends on the process.
#pragma once
#include <array>
#include <cstddef>

#include "base/types.h"
#include "machine/process/address_space.h"

namespace peregrine {

class RecentMaps {
 public:
  explicit RecentMaps(const AddressSpaces& spaces) : spaces_(spaces) {}

  // Returns nullptr if nothing is mapped there. Valid as long as the address spaces.
  const Map* find(const SpaceVersion& space, u64 ip) {
    Slot& slot = slots_[(ip >> kGranule) % kSlots];
    if (slot.version != space.number || ip < slot.start || ip >= slot.end) fill(slot, space, ip);
    return slot.map;
  }

 private:
  static constexpr unsigned kGranule = 18;  // 256 kB
  static constexpr std::size_t kSlots = 128;
  struct Slot {
    u64 start = 0, end = 0;
    const Map* map = nullptr;
    u32 version = 0;
  };
  void fill(Slot& slot, const SpaceVersion& space, u64 ip) {
    const AddressSpaces::Cover cover = spaces_.cover(space.space, space.number, ip);
    slot = {cover.start, cover.end, cover.map ? &spaces_.at(cover.map) : nullptr, space.number};
  }

  const AddressSpaces& spaces_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace peregrine
