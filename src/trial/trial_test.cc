#include <gtest/gtest.h>

#include "trial/memory_copy.h"
#include "trial/messaging.h"
#include "trial/ping_pong.h"

namespace peregrine {
namespace {

TEST(Trial, MessagesArriveByEveryWay) {
  for (const bool threads : {false, true}) {
    for (const bool pipes : {false, true}) {
      const auto seconds = run_messaging({.groups = 2, .loops = 3, .threads = threads, .pipes = pipes});
      ASSERT_TRUE(seconds) << seconds.error().message;
      EXPECT_GT(*seconds, 0);
    }
  }
}

TEST(Trial, TwoSidesPlay) {
  for (const bool threads : {false, true}) {
    const auto seconds = run_ping_pong(100, threads);
    ASSERT_TRUE(seconds) << seconds.error().message;
    EXPECT_GT(*seconds, 0);
  }
  EXPECT_GT(run_system_calls(CheapCall::GetPgid, 100), 0);
}

TEST(Trial, MemoryIsCopiedOrCannotBeHad) {
  EXPECT_GT(run_memory(MemoryWork::Copy, 4096, 10).value_or(0), 0);
  EXPECT_GT(run_memory(MemoryWork::Fill, 4096, 10).value_or(0), 0);
  EXPECT_FALSE(run_memory(MemoryWork::Copy, u64{1} << 60, 1));
}

}  // namespace
}  // namespace peregrine
