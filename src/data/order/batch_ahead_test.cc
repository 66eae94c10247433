#include "data/order/batch_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace peregrine::data {
namespace {

// An exception in the thread once ended the whole program.
TEST(BatchAhead, HandsOnWhatMakingABatchThrows) {
  int made = 0;
  BatchAhead ahead([&](Batch&) -> Result<bool> {
    if (++made == 3) throw std::bad_alloc();
    return true;
  });
  Batch batch;
  EXPECT_TRUE(*ahead.next(batch));
  EXPECT_TRUE(*ahead.next(batch));
  for (int again = 0; again < 2; ++again) {
    const auto failed = ahead.next(batch);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "out of memory");
  }
  EXPECT_EQ(made, 3);
}

TEST(BatchAhead, MakesOneMoreBatchAtMostUntilItStops) {
  std::atomic<int> made = 0;
  BatchAhead ahead([&](Batch&) -> Result<bool> {
    ++made;
    return true;
  });
  Batch batch;
  EXPECT_TRUE(*ahead.next(batch));
  ahead.stop();
  EXPECT_THAT(made.load(), ::testing::AllOf(::testing::Ge(1), ::testing::Le(2)));
}

}  // namespace
}  // namespace peregrine::data
