#include "sys/hardware/cpu_mask.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(CpusOfMask, ReadsWordsFromTheLowest) {
  EXPECT_EQ(cpus_of_mask("3"), (std::vector<u32>{0, 1}));
  EXPECT_EQ(cpus_of_mask("1,00000000"), (std::vector<u32>{32}));
  EXPECT_EQ(cpus_of_mask("a0"), (std::vector<u32>{5, 7}));
  EXPECT_EQ(cpus_of_mask("1,00000002"), (std::vector<u32>{1, 32}));
  EXPECT_TRUE(cpus_of_mask("00000000,00000000").empty());
  EXPECT_TRUE(cpus_of_mask("00").empty());
  EXPECT_TRUE(cpus_of_mask("xyz").empty());
}

TEST(CpuMask, HasGroupsOf32Bits) {
  EXPECT_EQ(cpu_mask({}), "");
  EXPECT_EQ(cpu_mask({0, 1}), "3");
  EXPECT_EQ(cpu_mask({0, 33}), "2,00000001");
}

}  // namespace
}  // namespace peregrine
