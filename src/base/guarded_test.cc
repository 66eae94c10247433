#include "base/guarded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Guarded, PassesResultsOn) {
  EXPECT_EQ(*guarded([]() -> Result<int> { return 7; }), 7);
  const auto failed = guarded([]() -> Result<int> { return fail(ErrorKind::NotFound, "no such file"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::NotFound);
}

TEST(Guarded, TurnsExhaustedMemoryIntoAnError) {
  const auto failed = guarded([]() -> Result<> { throw std::bad_alloc(); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "out of memory");
  EXPECT_EQ(failed.error().system_errno, ENOMEM);
  EXPECT_FALSE(failed.error().hint.empty());
}

TEST(Guarded, TurnsImpossibleSizesIntoAnError) {
  const auto failed = guarded([]() -> Result<> {
    std::vector<int> numbers;
    numbers.reserve(std::numeric_limits<std::size_t>::max());
    return {};
  });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, StartsWith("out of memory: a size is too large"));
}

TEST(Guarded, KeepsTheReasonOfASystemError) {
  const auto failed = guarded([]() -> Result<> {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "no thread");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().system_errno, EAGAIN);
  EXPECT_THAT(failed.error().message, HasSubstr("no thread"));
  EXPECT_THAT(failed.error().hint, HasSubstr("ulimit -u"));
}

// what() formats its message only on request, when memory may still be short.
TEST(Guarded, ASecondFailureWhileOneIsDescribedIsAnErrorToo) {
  struct Fails : std::exception {
    const char* what() const noexcept override { return nullptr; }  // fmt refuses it with an exception
  };
  const auto failed = guarded([]() -> Result<> { throw Fails(); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "out of memory");
}

TEST(Guarded, NamesOtherExceptions) {
  const auto failed = guarded([]() -> Result<> { throw std::runtime_error("strange"); });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("strange"));
}

}  // namespace
}  // namespace peregrine
