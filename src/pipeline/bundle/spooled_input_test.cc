#include "pipeline/bundle/spooled_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(SpooledInput, HasAllBytesOfThePipeAlsoAfterALook) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd from(ends[0]);
  const std::string text = "start" + std::string(3'000'000, 'x');
  std::thread writer([&] {
    const Fd to(ends[1]);
    EXPECT_TRUE(write_all(to.get(), text.data(), text.size()));
  });
  const TemporaryFolder folder;
  const auto seen = peek_pipe(from);
  const auto file = spool_input(from, "the input", folder.path());
  writer.join();
  ASSERT_TRUE(seen && file);
  ASSERT_GE(seen->size(), 5u);
  EXPECT_EQ(std::memcmp(seen->data(), "start", 5), 0);
  std::string got(text.size() + 1, '\0');
  EXPECT_EQ(pread_full(file->get(), got.data(), got.size(), 0), text.size());
  got.pop_back();
  EXPECT_EQ(got, text);
}

}  // namespace
}  // namespace peregrine
