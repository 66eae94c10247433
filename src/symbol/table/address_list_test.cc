#include "symbol/table/address_list.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(AddressList, HoldsWhatWasAdded) {
  const std::vector<std::vector<u64>> lists = {{},
                                               {0},
                                               {0xffffffff81000000, 0xffffffff81000010, 0xffffffffc0000000},
                                               {16, 16 + 0xffffffffull, 16 + 0x100000000ull, 17},
                                               {100, 99, 101},
                                               {0, ~u64{0}, 5}};
  for (const auto& addresses : lists) {
    AddressList list;
    for (const u64 address : addresses) list.push_back(address);
    ASSERT_EQ(list.size(), addresses.size());
    EXPECT_EQ(list.empty(), addresses.empty());
    for (std::size_t i = 0; i < addresses.size(); ++i) EXPECT_EQ(list[i], addresses[i]) << i;
    if (addresses.empty()) continue;
    EXPECT_EQ(list.front(), addresses.front());
    EXPECT_EQ(list.back(), addresses.back());
  }
}

}  // namespace
}  // namespace peregrine
