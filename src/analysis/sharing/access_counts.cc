#include "analysis/sharing/access_counts.h"

#include <iterator>

namespace peregrine {

namespace {

namespace level = abi::access_level;
namespace snoop = abi::access_snoop;

constexpr bool is_memory(u8 number) {
  return number == abi::access_level_number::Ram || number == abi::access_level_number::Persistent;
}

}  // namespace

void AccessCounts::add_load(const abi::DataSource& source) {
  const auto at = [&](u16 bits) { return (source.level & bits) != 0; };
  const bool hitm = (source.snoop & snoop::HitModified) != 0, hit = (source.snoop & snoop::Hit) != 0;
  const bool peer = (source.snoop_extra & snoop::ExtraPeer) != 0;
  const auto memory = [&](u64& count) {
    ++count;
    ++(hit ? shared : exclusive);
  };
  if (at(level::Hit)) {
    if (at(level::Uncached)) ++uncached_loads;
    if (at(level::Io)) ++io_loads;
    if (at(level::FillBuffer)) ++fill_buffer;
    if (at(level::L1)) ++l1;
    if (at(level::L2)) {
      ++l2;
      if (peer) ++local_peer;
    }
    if (at(level::L3)) {
      ++(hitm ? local_hitm : llc);
      if (peer) ++local_peer;
    }
    if (at(level::LocalRam)) memory(local_dram);
    if (at(level::RemoteRam) || (source.remote && !at(level::RemoteCache) && is_memory(source.level_number)))
      memory(remote_dram);
  }
  if (at(level::RemoteCache) || source.remote) {
    if (hit) {
      ++remote_hit;
    } else if (hitm) {
      ++remote_hitm;
    } else if (peer) {
      ++remote_hit;
      ++remote_peer;
    }
  }
  if (at(level::Miss)) ++missed_loads;
}

void AccessCounts::add_store(const abi::DataSource& source) {
  const auto at = [&](u16 bits) { return (source.level & bits) != 0; };
  if (at(level::Hit)) {
    if (at(level::Uncached)) ++uncached_stores;
    if (at(level::L1)) ++l1_stores;
  }
  if (at(level::Miss) && at(level::L1)) ++l1_missed_stores;
  if (at(level::NotAvailable)) ++stores_of_unknown_level;
}

void AccessCounts::add(const abi::DataSource& source, bool has_address, bool mapped) {
  ++records;
  if ((source.lock & abi::access_lock::Locked) != 0) ++locked;
  if ((source.blocked & abi::access_blocked::ByData) != 0) ++blocked_by_data;
  if ((source.blocked & abi::access_blocked::ByAddress) != 0) ++blocked_by_address;
  if ((source.op & abi::access_op::Load) != 0) {
    ++loads;
    if (!has_address) {
      ++load_without_address;
      return;
    }
    add_load(source);
  } else if ((source.op & abi::access_op::Store) != 0) {
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
