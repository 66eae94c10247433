#include "auxtrace/intel_bts/branch_record.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "base/bytes.h"

namespace peregrine::auxtrace {
namespace {

// Records with these addresses, each 16 bytes further.
std::vector<std::byte> trace(std::initializer_list<u64> addresses) {
  ByteWriter out(ByteOrder::Little);
  for (const u64 from : addresses) out.put64(from).put64(from + 16).put64(0x10);
  return out.take();
}

TEST(BtsRecord, HasAddressesAndPrediction) {
  ByteWriter out(ByteOrder::Little);
  out.put64(0x401000).put64(0x402000).put64(0x10).put64(0x401000).put64(0).put64(0xffef);
  const BtsRecord first = decode_bts_record(out.bytes());
  EXPECT_EQ(first.from, 0x401000u);
  EXPECT_EQ(first.to, 0x402000u);
  EXPECT_TRUE(first.predicted);
  EXPECT_FALSE(decode_bts_record(Bytes(out.bytes()).subspan(BtsRecord::kSize)).predicted);
}

TEST(BtsRecord, WithoutAddressesIsEmpty) {
  EXPECT_TRUE(decode_bts_record(std::vector<std::byte>(BtsRecord::kSize)).is_empty());
  EXPECT_FALSE((BtsRecord{.from = 0, .to = 1}).is_empty());
}

TEST(BtsOverlap, IsTheLongestRepeatedEnd) {
  EXPECT_EQ(bts_overlap(trace({1, 2, 3, 4}), trace({3, 4, 5})), 2 * BtsRecord::kSize);
  EXPECT_EQ(bts_overlap(trace({1, 2, 1, 2}), trace({1, 2, 1, 2, 9})), 4 * BtsRecord::kSize);
  EXPECT_EQ(bts_overlap(trace({9, 1, 2, 1, 2}), trace({1, 2, 1, 3})), 2 * BtsRecord::kSize);
}

TEST(BtsOverlap, IsNothingBetweenDifferentTraces) {
  EXPECT_EQ(bts_overlap(trace({1, 2, 3}), trace({4, 5})), 0u);
  EXPECT_EQ(bts_overlap(trace({}), trace({4, 5})), 0u);
  EXPECT_EQ(bts_overlap(trace({4}), trace({})), 0u);
}

TEST(BtsOverlap, MayBeTheWholePiece) {
  EXPECT_EQ(bts_overlap(trace({1, 2, 3}), trace({2, 3})), 2 * BtsRecord::kSize);
  EXPECT_EQ(bts_overlap(trace({7, 7, 7, 7}), trace({7, 7})), 2 * BtsRecord::kSize);
}

// An algorithm that compares each position from scratch would take a minute here.
TEST(BtsOverlap, TakesLinearTimeOnRepeatingTraces) {
  constexpr std::size_t kRecords = 200'000;
  ByteWriter before(ByteOrder::Little);
  for (std::size_t i = 0; i < kRecords; ++i) before.put64(1).put64(2).put64(0);
  std::vector<std::byte> piece(before.bytes().begin(), before.bytes().end());
  piece[piece.size() - 1] = std::byte{1};
  EXPECT_EQ(bts_overlap(before.bytes(), piece), (kRecords - 1) * BtsRecord::kSize);
}

}  // namespace
}  // namespace peregrine::auxtrace
