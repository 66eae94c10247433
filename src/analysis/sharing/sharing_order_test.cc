#include "analysis/sharing/sharing_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

SharedLine line_with(u64 address, u64 local_hitm, u64 remote_hitm) {
  SharedLine line;
  line.address = address;
  line.counts.local_hitm = local_hitm;
  line.counts.remote_hitm = remote_hitm;
  return line;
}

std::vector<u64> chosen(const std::vector<SharedLine>& lines, SharingOrder order, bool show_all = false) {
  AccessCounts all;
  for (const SharedLine& line : lines) all += line.counts;
  std::vector<u64> addresses;
  for (const SharedLine& line : contended_lines(lines, all, order, show_all)) addresses.push_back(line.address);
  return addresses;
}

TEST(ContendedLines, ComeInTheRequestedOrder) {
  const std::vector<SharedLine> lines{line_with(0x1000, 9, 1), line_with(0x2000, 2, 5), line_with(0x3000, 0, 0)};
  EXPECT_THAT(chosen(lines, SharingOrder::TotalHitm), ElementsAre(0x1000, 0x2000));
  EXPECT_THAT(chosen(lines, SharingOrder::RemoteHitm), ElementsAre(0x2000, 0x1000));
}

TEST(ContendedLines, LeaveOutLinesWithASmallShareUnlessAllAreShown) {
  const std::vector<SharedLine> lines{line_with(0x1000, 10'000, 0), line_with(0x2000, 1, 0)};
  EXPECT_THAT(chosen(lines, SharingOrder::LocalHitm), ElementsAre(0x1000));
  EXPECT_THAT(chosen(lines, SharingOrder::LocalHitm, true), ElementsAre(0x1000, 0x2000));
}

TEST(ContendedLines, KeepRowsThatContendOrWriteByOffset) {
  SharedLine line = line_with(0x1000, 3, 0);
  const auto row = [](u64 offset, u64 code, u64 hitm, u64 stores) {
    SharingRow made;
    made.offset = offset;
    made.code = code;
    made.counts.local_hitm = hitm;
    made.counts.stores = stores;
    return made;
  };
  line.rows = {row(8, 0xa, 1, 0), row(0, 0xb, 0, 0), row(8, 0xc, 2, 0), row(0, 0xd, 0, 4)};
  const auto lines = contended_lines({line}, line.counts, SharingOrder::TotalHitm, false);
  ASSERT_EQ(lines.size(), 1u);
  std::vector<u64> codes;
  for (const SharingRow& kept : lines[0].rows) codes.push_back(kept.code);
  EXPECT_THAT(codes, ElementsAre(0xd, 0xc, 0xa));
}

}  // namespace
}  // namespace peregrine
