#include "analysis/hist/key/data_keys.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "abi/data_source.h"

namespace peregrine {
namespace {

// A key keeps only the bits that its text needs, so that accesses with the same text share a row.
TEST(DataKeys, KeepWhatTheirTextShows) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const u64 word = random();
    const abi::DataSource source = abi::decode_data_source(word);
    EXPECT_EQ(snoop_text(snoop_bits(word)), abi::snoop_text(source)) << word;
    EXPECT_EQ(lock_text(lock_bits(word)), abi::lock_text(source)) << word;
    EXPECT_EQ(tlb_text(tlb_bits(word)), abi::tlb_text(source)) << word;
    EXPECT_EQ(block_text(block_bits(word)), abi::block_text(source)) << word;
    EXPECT_EQ(memory_level_text(memory_level(word)), abi::level_text(source)) << word;
  }
}

TEST(DataKeys, AreAboutDifferentBits) {
  constexpr u64 kAll = ~u64{0};
  EXPECT_EQ(snoop_bits(kAll) & lock_bits(kAll), 0u);
  EXPECT_EQ(lock_bits(kAll) & tlb_bits(kAll), 0u);
  EXPECT_EQ(tlb_bits(kAll) & block_bits(kAll), 0u);
  // None of them keeps the kind of access (the lowest five bits).
  for (u64 op = 0; op < 32; ++op) {
    EXPECT_EQ(snoop_bits(op) | lock_bits(op) | tlb_bits(op) | block_bits(op), 0u);
    EXPECT_EQ(memory_level(op), memory_level(0));
  }
}

// Values as a processor writes them, by the bit positions of union perf_mem_data_src.
TEST(DataKeys, ReadTheFieldsOfTheKernelsWord) {
  constexpr u64 kHit = 2, kMiss = 4;
  const struct Case {
    std::string (*text)(u64 word);
    u64 word;
    std::string_view shown;
  } cases[] = {
      {[](u64 word) { return snoop_text(snoop_bits(word)); }, u64{2} << 19, "None"},
      {[](u64 word) { return snoop_text(snoop_bits(word)); }, u64{16} << 19, "HitM"},
      {[](u64 word) { return snoop_text(snoop_bits(word)); }, u64{4} << 19 | u64{1} << 38, "Hit or Fwd"},
      {[](u64 word) { return snoop_text(snoop_bits(word)); }, 0, "N/A"},
      {[](u64 word) { return lock_text(lock_bits(word)); }, u64{2} << 24, "Yes"},
      {[](u64 word) { return lock_text(lock_bits(word)); }, 0, "No"},
      {[](u64 word) { return tlb_text(tlb_bits(word)); }, (8 | kHit) << 26, "L1 hit"},
      {[](u64 word) { return tlb_text(tlb_bits(word)); }, (8 | 16 | kHit) << 26, "L1 or L2 hit"},
      {[](u64 word) { return tlb_text(tlb_bits(word)); }, (32 | kMiss) << 26, "Walker miss"},
      {[](u64 word) { return block_text(block_bits(word)); }, u64{6} << 40, " Data Addr"},
      {[](u64 word) { return block_text(block_bits(word)); }, u64{1} << 40, " N/A"},
      {[](u64 word) { return memory_level_text(memory_level(word)); }, (0x40 | kHit) << 5, "L3 hit"},
      {[](u64 word) { return memory_level_text(memory_level(word)); }, (0x80 | kMiss) << 5, "Local RAM miss"},
      {[](u64 word) { return memory_level_text(memory_level(word)); }, kHit << 5 | u64{9} << 33, "CXL hit"},
      {[](u64 word) { return memory_level_text(memory_level(word)); }, kHit << 5 | u64{13} << 33 | u64{1} << 37,
       "Remote RAM hit"},
  };
  for (const Case& each : cases) EXPECT_EQ(each.text(each.word), each.shown) << std::hex << each.word;
}

TEST(DataKeys, LevelsAreOrderedByLevelFirst) {
  const auto level = [](u64 bits, u64 number, u64 hops, u64 remote) {
    return memory_level(bits << 5 | number << 33 | remote << 37 | hops << 43);
  };
  EXPECT_LT(level(8, 15, 7, 1), level(0x20, 0, 0, 0));
  EXPECT_LT(level(8, 1, 7, 1), level(8, 2, 0, 0));
  EXPECT_LT(level(8, 1, 1, 1), level(8, 1, 2, 0));
  EXPECT_LT(level(8, 1, 1, 0), level(8, 1, 1, 1));
}

// The names are those of PERF_TXN_*; the abort code is in the upper half.
TEST(DataKeys, TransactionsHaveFlagsAndAnAbortCode) {
  const struct Case {
    u64 flags;
    std::string_view text;
  } cases[] = {
      {0, ""},
      {1 | 4, "EL SYNC "},
      {2 | 8 | 16, "TX ASYNC RETRY "},
      {2, "TX NEITHER "},  // aborted by neither an instruction nor an event
      {4 | 32 | 64 | 128, "SYNC CON CAP-WRITE CAP-READ "},
      {2 | 4 | u64{0x1f} << 32, "TX SYNC :1f"},
      {u64{0xffffffff} << 32, "NEITHER :ffffffff"},
      {u64{1} << 31, "NEITHER "},  // a flag of newer kernels
  };
  for (const Case& each : cases) EXPECT_EQ(transaction_text(each.flags), each.text) << std::hex << each.flags;
}

}  // namespace
}  // namespace peregrine
