#include "analysis/sharing/access_counts.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

namespace level = abi::access_level;
namespace snoop = abi::access_snoop;

AccessCounts counts_of(const abi::DataSource& source, bool has_address = true, bool mapped = true) {
  AccessCounts counts;
  counts.add(source, has_address, mapped);
  return counts;
}
abi::DataSource load_from(u16 levels, u8 snooped = 0) {
  return {.op = abi::access_op::Load, .level = levels, .snoop = snooped};
}
abi::DataSource store_to(u16 levels) { return {.op = abi::access_op::Store, .level = levels}; }

TEST(AccessCounts, LoadsAreCountedByTheCacheThatServedThem) {
  EXPECT_EQ(counts_of(load_from(level::Hit | level::L1)).l1, 1u);
  EXPECT_EQ(counts_of(load_from(level::Hit | level::L2)).l2, 1u);
  EXPECT_EQ(counts_of(load_from(level::Hit | level::FillBuffer)).fill_buffer, 1u);
  EXPECT_EQ(counts_of(load_from(level::Hit | level::L3, snoop::None)).llc, 1u);
  EXPECT_EQ(counts_of(load_from(level::Miss | level::L1)).l1, 0u);
  EXPECT_EQ(counts_of(load_from(level::Miss | level::L1)).missed_loads, 1u);
}

TEST(AccessCounts, AModifiedLineOfThisNodeIsALocalHitm) {
  const AccessCounts counts = counts_of(load_from(level::Hit | level::L3, snoop::HitModified));
  EXPECT_EQ(counts.local_hitm, 1u);
  EXPECT_EQ(counts.llc, 0u) << "it did not come from the last level";
  EXPECT_EQ(counts.hitm(), 1u);
  EXPECT_EQ(counts.llc_misses(), 0u);
}

TEST(AccessCounts, AModifiedLineOfAnotherNodeIsARemoteHitm) {
  const AccessCounts counts = counts_of(load_from(level::Hit | level::RemoteCache, snoop::HitModified));
  EXPECT_EQ(counts.remote_hitm, 1u);
  EXPECT_EQ(counts.llc_misses(), 1u);
  EXPECT_EQ(counts_of(load_from(level::Hit | level::RemoteCache, snoop::Hit)).remote_hit, 1u);
}

TEST(AccessCounts, MemoryIsSharedOrExclusiveByTheSnoop) {
  const AccessCounts shared = counts_of(load_from(level::Hit | level::LocalRam, snoop::Hit));
  EXPECT_EQ(shared.local_dram, 1u);
  EXPECT_EQ(shared.shared, 1u);
  const AccessCounts exclusive = counts_of(load_from(level::Hit | level::RemoteRam, snoop::Miss));
  EXPECT_EQ(exclusive.remote_dram, 1u);
  EXPECT_EQ(exclusive.exclusive, 1u);
}

// Since Linux 4.14, a processor may report "memory, remote" without any of the old levels.
TEST(AccessCounts, ALevelNumberNamesRemoteMemory) {
  abi::DataSource source = load_from(level::Hit, snoop::Miss);
  source.remote = true;
  source.level_number = abi::access_level_number::Ram;
  EXPECT_EQ(counts_of(source).remote_dram, 1u);
  source.level_number = abi::access_level_number::L3;
  EXPECT_EQ(counts_of(source).remote_dram, 0u);
}

TEST(AccessCounts, PeersAreLinesOfOtherCores) {
  abi::DataSource source = load_from(level::Hit | level::L3);
  source.snoop_extra = snoop::ExtraPeer;
  EXPECT_EQ(counts_of(source).local_peer, 1u);
  source = load_from(level::Hit | level::RemoteCache);
  source.snoop_extra = snoop::ExtraPeer;
  EXPECT_EQ(counts_of(source).remote_peer, 1u);
  EXPECT_EQ(counts_of(source).peer(), 1u);
}

TEST(AccessCounts, StoresAreCountedByTheFirstCache) {
  EXPECT_EQ(counts_of(store_to(level::Hit | level::L1)).l1_stores, 1u);
  EXPECT_EQ(counts_of(store_to(level::Miss | level::L1)).l1_missed_stores, 1u);
  EXPECT_EQ(counts_of(store_to(level::NotAvailable)).stores_of_unknown_level, 1u);
  EXPECT_EQ(counts_of(store_to(level::Hit | level::Uncached)).uncached_stores, 1u);
}

TEST(AccessCounts, AnAccessWithoutAnAddressIsOnlyCounted) {
  const AccessCounts load = counts_of(load_from(level::Hit | level::L1), false, false);
  EXPECT_EQ(load.loads, 1u);
  EXPECT_EQ(load.load_without_address, 1u);
  EXPECT_EQ(load.l1 + load.unmapped, 0u);
  EXPECT_EQ(counts_of(store_to(level::Hit | level::L1), false).store_without_address, 1u);
}

TEST(AccessCounts, WhatIsNeitherLoadNorStoreIsUnknown) {
  const AccessCounts counts = counts_of({.op = abi::access_op::Prefetch}, true, false);
  EXPECT_EQ(counts.records, 1u);
  EXPECT_EQ(counts.unknown, 1u);
  EXPECT_EQ(counts.unmapped, 0u);
}

TEST(AccessCounts, LocksAndBlocksCountBesideTheLevel) {
  abi::DataSource source = load_from(level::Hit | level::L1);
  source.lock = abi::access_lock::Locked;
  source.blocked = abi::access_blocked::ByData | abi::access_blocked::ByAddress;
  const AccessCounts counts = counts_of(source, true, false);
  EXPECT_EQ(counts.locked, 1u);
  EXPECT_EQ(counts.blocked_by_data, 1u);
  EXPECT_EQ(counts.blocked_by_address, 1u);
  EXPECT_EQ(counts.unmapped, 1u);
}

TEST(AccessCounts, AddUp) {
  AccessCounts sum = counts_of(load_from(level::Hit | level::L1));
  sum += counts_of(store_to(level::Hit | level::L1));
  sum += sum;
  EXPECT_EQ(sum.records, 4u);
  EXPECT_EQ(sum.l1, 2u);
  EXPECT_EQ(sum.l1_stores, 2u);
}

}  // namespace
}  // namespace peregrine
