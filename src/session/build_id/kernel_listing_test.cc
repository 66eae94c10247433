#include "session/build_id/kernel_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/kept_messages.h"
#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

class KernelListingTest : public ::testing::Test {
 protected:
  KernelListingTest() {
    machine_.write(
        "/proc/kallsyms = ffffffff81000000 T _text\\nffffffff81000000 T _stext\\nffffffff81000100 T vfs_read\\n"
        "ffffffff81000200 T vfs_write\\nffffffff81000300 T _etext\\nffffffffc0000010 t ext4_read\\t[ext4]\\n");
  }
  std::string symbols(std::vector<std::string> words) {
    Sink out;
    const auto done =
        print_kernel_symbols({.words = std::move(words), .verbose = true}, machine_.root(), out, messages_);
    return done ? out.take() : done.error().message;
  }

  testing::Machine machine_;
  testing::KeptMessages messages_;
};

TEST_F(KernelListingTest, FindsSymbolsByNameAndGlob) {
  EXPECT_EQ(symbols({"vfs_read"}),
            "vfs_read: [kernel] [kernel.kallsyms] 0xffffffff81000100-0xffffffff81000200 "
            "(0xffffffff81000100-0xffffffff81000200)\n");
  EXPECT_THAT(messages_.take(), HasSubstr("symbols of the kernel, 1 module\n"));
  const std::string text = symbols({"*_read,none", "vfs_?rite"});
  EXPECT_THAT(text,
              ::testing::MatchesRegex("vfs_read: .*\next4_read: .ext4. .ext4. .*\nnone: not found\nvfs_write: .*\n"));
}

TEST_F(KernelListingTest, SaysThatAddressesAreHidden) {
  machine_.write("/proc/kallsyms = 0000000000000000 T _text\\n0000000000000000 T vfs_read\\n");
  EXPECT_EQ(symbols({"vfs_read"}), "the kernel hides its addresses");
}

TEST_F(KernelListingTest, PrintsTheMapOfTheKernelWithoutABuildId) {
  Sink out;
  print_kernel_maps(machine_.root(), out);
  EXPECT_THAT(out.take(), ::testing::StartsWith(std::string(40, ' ') + " ffffffff81000000 "));
  const auto none = print_kernel_build_id(machine_.root(), out);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace peregrine
