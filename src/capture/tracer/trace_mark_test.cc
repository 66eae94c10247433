#include "capture/tracer/trace_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MaskCpus, GroupsAreHighestFirst) {
  EXPECT_THAT(mask_cpus("3"), ElementsAre(0, 1));
  EXPECT_THAT(mask_cpus("a0"), ElementsAre(5, 7));
  EXPECT_THAT(mask_cpus("1,00000002"), ElementsAre(1, 32));
  EXPECT_THAT(mask_cpus("00000000,00000000"), IsEmpty());
}

}  // namespace
}  // namespace peregrine
