#include "data/order/memory_limit.h"

#include <gtest/gtest.h>

namespace peregrine::data {
namespace {

TEST(MemoryLimit, IsExceededAboveItsBytes) {
  const MemoryLimit limit(2 * Chunk::kSize);
  EXPECT_FALSE(limit.is_exceeded(2));
  EXPECT_TRUE(limit.is_exceeded(3));
  EXPECT_FALSE(limit.is_far_exceeded(8));
  EXPECT_TRUE(limit.is_far_exceeded(9));
}

TEST(MemoryLimit, DropsAgainOnlyAfterMoreChunksCame) {
  MemoryLimit limit(2 * Chunk::kSize);
  EXPECT_TRUE(limit.should_drop(5));
  limit.note_dropped(4);  // decompressed chunks stay
  EXPECT_FALSE(limit.should_drop(4));
  EXPECT_TRUE(limit.should_drop(5));
  limit.reset();
  EXPECT_TRUE(limit.should_drop(3));
}

}  // namespace
}  // namespace peregrine::data
