#include "analysis/sharing/access_counts.h"

namespace peregrine {

namespace {

// include/uapi/linux/perf_event.h
constexpr u8 kLoad = 2, kStore = 4, kLocked = 2, kBlockedByData = 2, kBlockedByAddress = 4, kPeer = 2;
constexpr u8 kSnoopHit = 4, kSnoopHitm = 16;
constexpr u16 kLevelUnknown = 1, kHit = 2, kMiss = 4, kL1 = 8, kFillBuffer = 0x10, kL2 = 0x20, kL3 = 0x40,
              kLocalMemory = 0x80, kRemoteMemory = 0x100 | 0x200, kRemoteCache = 0x400 | 0x800, kIo = 0x1000,
              kUncached = 0x2000;

constexpr bool is_memory(u8 level_number) {
  constexpr u8 kRam = 0xd, kPersistent = 0xe;
  return level_number == kRam || level_number == kPersistent;
}

}  // namespace

void AccessCounts::add_load(const abi::DataSource& source) {
  const auto at = [&](u16 level) { return (source.level & level) != 0; };
  const bool hitm = (source.snoop & kSnoopHitm) != 0, hit = (source.snoop & kSnoopHit) != 0;
  const bool peer = (source.snoop_extra & kPeer) != 0;
  const auto memory = [&](u64& count) {
    ++count;
    ++(hit ? shared : exclusive);
  };
  if (at(kHit)) {
    if (at(kUncached)) ++uncached_loads;
    if (at(kIo)) ++io_loads;
    if (at(kFillBuffer)) ++fill_buffer;
    if (at(kL1)) ++l1;
    if (at(kL2)) {
      ++l2;
      if (peer) ++local_peer;
    }
    if (at(kL3)) {
      ++(hitm ? local_hitm : llc);
      if (peer) ++local_peer;
    }
    if (at(kLocalMemory)) memory(local_dram);
    if (at(kRemoteMemory) || (source.remote && !at(kRemoteCache) && is_memory(source.level_number)))
      memory(remote_dram);
  }
  if (at(kRemoteCache) || source.remote) {
    if (hit) {
      ++remote_hit;
    } else if (hitm) {
      ++remote_hitm;
    } else if (peer) {
      ++remote_hit;
      ++remote_peer;
    }
  }
  if (at(kMiss)) ++missed_loads;
}

void AccessCounts::add_store(const abi::DataSource& source) {
  const auto at = [&](u16 level) { return (source.level & level) != 0; };
  if (at(kHit)) {
    if (at(kUncached)) ++uncached_stores;
    if (at(kL1)) ++l1_stores;
  }
  if (at(kMiss) && at(kL1)) ++l1_missed_stores;
  if (at(kLevelUnknown)) ++stores_of_unknown_level;
}

void AccessCounts::add(const abi::DataSource& source, bool has_address, bool mapped) {
  ++records;
  if ((source.lock & kLocked) != 0) ++locked;
  if ((source.blocked & kBlockedByData) != 0) ++blocked_by_data;
  if ((source.blocked & kBlockedByAddress) != 0) ++blocked_by_address;
  if ((source.op & kLoad) != 0) {
    ++loads;
    if (!has_address) {
      ++load_without_address;
      return;
    }
    add_load(source);
  } else if ((source.op & kStore) != 0) {
    ++stores;
    if (!has_address) {
      ++store_without_address;
      return;
    }
    add_store(source);
  } else {
    ++unknown;
    return;
  }
  if (!mapped) ++unmapped;
}

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  constexpr u64 AccessCounts::* kAll[] = {&AccessCounts::records,
                                          &AccessCounts::locked,
                                          &AccessCounts::loads,
                                          &AccessCounts::load_without_address,
                                          &AccessCounts::uncached_loads,
                                          &AccessCounts::io_loads,
                                          &AccessCounts::missed_loads,
                                          &AccessCounts::fill_buffer,
                                          &AccessCounts::l1,
                                          &AccessCounts::l2,
                                          &AccessCounts::llc,
                                          &AccessCounts::local_hitm,
                                          &AccessCounts::remote_hitm,
                                          &AccessCounts::remote_hit,
                                          &AccessCounts::local_peer,
                                          &AccessCounts::remote_peer,
                                          &AccessCounts::local_dram,
                                          &AccessCounts::remote_dram,
                                          &AccessCounts::shared,
                                          &AccessCounts::exclusive,
                                          &AccessCounts::blocked_by_data,
                                          &AccessCounts::blocked_by_address,
                                          &AccessCounts::stores,
                                          &AccessCounts::store_without_address,
                                          &AccessCounts::uncached_stores,
                                          &AccessCounts::l1_stores,
                                          &AccessCounts::l1_missed_stores,
                                          &AccessCounts::stores_of_unknown_level,
                                          &AccessCounts::unmapped,
                                          &AccessCounts::unknown};
  static_assert(sizeof(AccessCounts) == std::size(kAll) * sizeof(u64));
  for (u64 AccessCounts::* const count : kAll) this->*count += other.*count;
  return *this;
}

}  // namespace peregrine
