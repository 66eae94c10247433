#include "base/concurrency/detached_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/fd.h"

namespace peregrine {
namespace {

struct Pipe {
  Fd read, write;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
};

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(DetachedProcess, IsNoChildOfOursAndKeepsOnlyItsDescriptors) {
  Pipe answer, other;
  const int kept = answer.write.get(), closed = other.write.get();
  std::array<pid_t, 3> said{};
  const auto started = start_detached(std::array{kept}, [&] {
    said = {::getsid(0), is_open(kept) ? 1 : 0, is_open(closed) ? 1 : 0};
    [[maybe_unused]] const ssize_t written = ::write(kept, said.data(), sizeof said);
  });
  ASSERT_TRUE(started) << started.error().message;
  answer.write.reset();
  const auto got = read_full(answer.read.get(), said.data(), sizeof said);
  ASSERT_EQ(got.value_or(0), sizeof said);
  EXPECT_NE(said[0], ::getsid(0));
  EXPECT_EQ(said[1], 1);
  EXPECT_EQ(said[2], 0);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(DetachedProcess, EndsWhenItsWorkThrows) {
  Pipe answer;
  ASSERT_TRUE(start_detached(std::array{answer.write.get()}, [] { throw std::runtime_error("out of something"); }));
  answer.write.reset();
  char byte = 0;
  EXPECT_EQ(::read(answer.read.get(), &byte, 1), 0);
}

TEST(DetachedProcess, ClosesAllButUnsortedDescriptors) {
  Pipe first, second;
  const pid_t child = ::fork();
  if (child == 0) {
    close_all_but(std::array{second.read.get(), -1, first.read.get(), second.read.get()});
    const bool right = is_open(first.read.get()) && is_open(second.read.get()) && !is_open(first.write.get()) &&
                       !is_open(second.write.get()) && !is_open(0);
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The limit does not apply to root in every user namespace, so it is tested in a child of another user.
TEST(DetachedProcess, SaysWhenThereCanBeNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "changes the user: needs root";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    if (::setuid(65533) != 0 || ::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(2);
    const auto started = start_detached({}, [] {});
    ::_exit(!started && started.error().system_errno == EAGAIN ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace peregrine
