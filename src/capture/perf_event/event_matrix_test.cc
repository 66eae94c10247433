// Tests single calls; the users of the matrix test opening itself.
#include "capture/perf_event/event_matrix.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(OpenEvent, RefusesAnImpossibleTypeWithItsErrno) {
  abi::EventAttr attr;
  attr.type = 0x7fffffff;
  attr.size = abi::written_size(attr);
  EXPECT_LT(open_event(attr, 0, -1, -1), 0);
}

TEST(OpenEvent, AnIdOfNoEventIsZero) { EXPECT_EQ(event_id(-1), 0u); }

}  // namespace
}  // namespace peregrine
