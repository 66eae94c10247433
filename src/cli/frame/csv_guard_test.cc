#include "cli/frame/csv_guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <string>

#include "base/fd.h"

namespace peregrine {
namespace {

TEST(CsvGuard, PassesSafeLinesOnAndTheRestAtTheEnd) {
  Sink to;
  auto guard = CsvGuard::start({.separator = ",", .quoted = false}, to);
  ASSERT_TRUE(guard) << guard.error().message;
  const std::string text = "a,=1+1\nrest";
  ASSERT_TRUE(write_all((*guard)->fd(), text.data(), text.size()));
  const auto finished = (*guard)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  guard->reset();
  EXPECT_EQ(to.take(), "a,'=1+1\nrest");
}

// Pieces of a pipe arrive one after another; a line that is searched again for each costs the square of its length.
TEST(CsvGuard, PassesALongLineOnInTimeProportionalToItsLength) {
  const auto seconds_for = [](std::size_t size) {
    Sink to;
    auto guard = CsvGuard::start({.separator = ",", .quoted = false}, to);
    if (!guard) return -1.0;
    const std::string line(size, 'x');
    const std::clock_t start = std::clock();
    EXPECT_TRUE(write_all((*guard)->fd(), line.data(), line.size()));
    EXPECT_TRUE((*guard)->finish());
    guard->reset();
    EXPECT_EQ(to.take().size(), size);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = std::max(seconds_for(std::size_t{8} << 20), 0.02), large = seconds_for(std::size_t{64} << 20);
  EXPECT_LT(large, small * 24);  // in proportion: 8, quadratic: 64
}

TEST(CsvGuard, LeavesTheSignalMaskAsItWas) {
  Sink to;
  const auto guard = CsvGuard::start({}, to);
  ASSERT_TRUE(guard) << guard.error().message;
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGTERM), 0);
}

}  // namespace
}  // namespace peregrine
