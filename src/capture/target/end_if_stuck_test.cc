#include "capture/target/end_if_stuck.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace peregrine {
namespace {

using std::chrono::milliseconds;

// How a child ends that gets SIGTERM and does or does not read its signals.
int status_after_term(bool reads) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto watch = Watch::open({SIGINT, SIGTERM});
    const EndIfStuck guard(*watch, milliseconds(50));
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "r", 1);
    while (!reads) ::pause();
    for (;;) {
      const auto seen = watch->wait(milliseconds(1000));
      if (!seen->signals.empty()) break;
    }
    std::this_thread::sleep_for(milliseconds(200));  // longer than the guard's patience: the signal was read
    ::_exit(7);
  }
  char word = 0;
  EXPECT_EQ(::read(ready[0], &word, 1), 1);
  ::kill(child, SIGTERM);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  for (const int fd : ready) ::close(fd);
  return status;
}

TEST(EndIfStuck, EndsAProcessThatDoesNotReadTheSignal) {
  const int status = status_after_term(false);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(EndIfStuck, LeavesAProcessAloneThatReadsIt) {
  const int status = status_after_term(true);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace peregrine
