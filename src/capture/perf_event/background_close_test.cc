#include "capture/perf_event/background_close.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace peregrine {
namespace {

TEST(CloseInBackground, ClosesWithoutLeavingAChild) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  std::vector<Fd> given;
  given.emplace_back();
  given.emplace_back(ends[1]);
  close_in_background(std::move(given));
  EXPECT_EQ(::fcntl(ends[1], F_GETFD), -1);
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0);  // the last writer is gone, in the other process too
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(CloseInBackground, KeepsNothingElseOpen) {
  int ends[2], others[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(others, O_CLOEXEC), 0);
  const Fd reader(ends[0]), other_reader(others[0]);
  Fd other_writer(others[1]);
  std::vector<Fd> given;
  given.emplace_back(ends[1]);
  close_in_background(std::move(given));
  other_writer.reset();
  char byte = 0;
  EXPECT_EQ(::read(other_reader.get(), &byte, 1), 0);
}

}  // namespace
}  // namespace peregrine
