#include "base/concurrency/all_signals_held.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace peregrine {
namespace {

bool is_blocked(int number) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return ::sigismember(&mask, number) == 1;
}

TEST(AllSignalsHeld, AThreadStartedMeanwhileBlocksThem) {
  bool blocked = false;
  std::thread thread;
  {
    const AllSignalsHeld held;
    thread = std::thread([&] { blocked = is_blocked(SIGTERM); });
  }
  thread.join();
  EXPECT_TRUE(blocked);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(AllSignalsHeld, AnExceptionPutsTheMaskBack) {
  try {
    const AllSignalsHeld held;
    throw std::runtime_error("no thread");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace peregrine
