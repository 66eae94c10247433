#include "base/file/read_failures.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace peregrine {
namespace {

TEST(ReadFailures, KeepsTheFirstFailureOfEachPathInOrder) {
  ReadFailures failures;
  failures.note("/usr/bin/b", EIO);
  failures.note("/usr/bin/a", ENOMEM);
  failures.note("/usr/bin/b", EMFILE);
  EXPECT_EQ(failures.list(), (std::vector<ReadFailure>{{"/usr/bin/a", ENOMEM}, {"/usr/bin/b", EIO}}));
}

TEST(ReadFailures, IgnoresFilesThatAreAbsentOrDenied) {
  ReadFailures failures;
  for (const int normal : {0, ENOENT, EACCES, EPERM, ENOTDIR, ESRCH, ELOOP}) failures.note("/proc/kallsyms", normal);
  EXPECT_TRUE(failures.list().empty());
}

TEST(ReadFailures, AreNotedOnlyWhereSomebodyWantsToKnow) {
  note_failure(nullptr, "/proc/kallsyms", EIO);
  ReadFailures failures;
  note_failure(&failures, "/proc/kallsyms", Error{.system_errno = EIO});
  EXPECT_EQ(failures.list().size(), 1u);
}

}  // namespace
}  // namespace peregrine
