// The callers below a sample's branch records, compared with linux-perf 6.1's output for the same samples.
#include "unwind/branch_stitcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Call n goes from 0x1n00 to 0xn00.
class Stitching : public ::testing::Test {
 protected:
  std::vector<u64> below(std::initializer_list<u64> calls, u64 hw_index, u32 tid = 7) {
    std::vector<abi::BranchEntry> branches;
    for (const u64 call : calls) branches.push_back({.from = 0x1000 + call * 0x100, .to = call * 0x100});
    const auto found = stitcher_.callers_below(tid, branches, hw_index);
    return {found.begin(), found.end()};
  }
  BranchStitcher stitcher_{4};
};

TEST_F(Stitching, GoesOnAsTheStackGrows) {
  EXPECT_THAT(below({3, 2, 1, 0}, 3), IsEmpty());
  EXPECT_THAT(below({5, 4, 3, 2}, 1), ElementsAre(0x1100, 0x1000));
  EXPECT_THAT(below({7, 6, 5, 4}, 3), ElementsAre(0x1300, 0x1200, 0x1100, 0x1000));
}

TEST_F(Stitching, KeepsWhatIsBelowWhileTheStackShrinks) {
  below({3, 2, 1, 0}, 3);
  below({5, 4, 3, 2}, 1);
  EXPECT_THAT(below({4, 3, 2}, 0), ElementsAre(0x1100, 0x1000));
  EXPECT_THAT(below({6, 5, 4, 3}, 2), ElementsAre(0x1200, 0x1100, 0x1000));
  EXPECT_THAT(below({2, 1}, 2), IsEmpty());
}

TEST_F(Stitching, WantsTheSameCallInTheSameRegister) {
  below({3, 2, 1, 0}, 3);
  EXPECT_THAT(below({5, 4, 3, 2}, 2), IsEmpty());
  EXPECT_THAT(below({7, 6, 5, 4}, 3), IsEmpty());
  EXPECT_THAT(below({8, 7, 6, 5}, 0), ElementsAre(0x1400));
}

TEST_F(Stitching, KeepsThreadsApartAndNeedsToKnowTheRegister) {
  below({3, 2, 1, 0}, 3);
  EXPECT_THAT(below({5, 4, 3, 2}, 1, 8), IsEmpty());
  EXPECT_THAT(below({5, 4, 3, 2}, ~u64{0}), IsEmpty());
  EXPECT_THAT(below({5, 4, 3, 2}, 1), IsEmpty());
}

}  // namespace
}  // namespace peregrine
