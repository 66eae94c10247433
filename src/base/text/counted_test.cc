#include "base/text/counted.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "record"), "2 records");
  EXPECT_EQ(counted(1, "entry was", "entries were"), "1 entry was");
  EXPECT_EQ(counted(0, "entry was", "entries were"), "0 entries were");
}

}  // namespace
}  // namespace peregrine
