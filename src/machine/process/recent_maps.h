// RecentMaps: in which map an address lies, for one worker that asks about many addresses that lie near each other.
//
// A slot holds the last answer of an address that fell into it, with the range in which that holds. What a worker
// learnt of (dso, address in it) serves all processes that map the dso; only this step is asked for each of them anew.
#pragma once
#include <array>

#include "machine/process/address_space.h"

namespace peregrine {

class RecentMaps {
 public:
  explicit RecentMaps(const AddressSpaces& spaces) : spaces_(spaces) {}

  // nullptr: nothing is mapped there. Valid as long as the address spaces.
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
