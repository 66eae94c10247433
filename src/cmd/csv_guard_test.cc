#include "cmd/csv_guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/fd.h"

namespace peregrine::cmd {
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

TEST(CsvGuard, LeavesTheSignalMaskAsItWas) {
  Sink to;
  const auto guard = CsvGuard::start({}, to);
  ASSERT_TRUE(guard) << guard.error().message;
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(::sigismember(&mask, SIGTERM), 0);
}

}  // namespace
}  // namespace peregrine::cmd
