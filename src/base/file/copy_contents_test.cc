#include "base/file/copy_contents.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/fd.h"

namespace peregrine {
namespace {

Fd memory_file(std::string_view text) {
  Fd fd(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_TRUE(write_all(fd.get(), text.data(), text.size()));
  return fd;
}

std::string contents(const Fd& fd) {
  ::lseek(fd.get(), 0, SEEK_SET);
  return read_all(fd.get(), "test", 1 << 24).value_or("unreadable");
}

TEST(CopyContents, CopiesAllBytes) {
  const std::string text(3'000'001, 'x');
  const Fd from = memory_file(text), to = memory_file("");
  ASSERT_TRUE(copy_contents(from.get(), to.get(), text.size(), "from"));
  EXPECT_EQ(contents(to), text);
}

// copy_file_range(2) refuses files in /proc and copies nothing.
TEST(CopyContents, ReadsWhereTheKernelDoesNotCopy) {
  const auto proc = open_file("/proc/filesystems", O_RDONLY);
  ASSERT_TRUE(proc);
  const std::string text = read_file("/proc/filesystems").value_or("");
  const Fd to = memory_file("");
  ASSERT_TRUE(copy_contents(proc->get(), to.get(), text.size(), "from"));
  EXPECT_EQ(contents(to), text);
}

TEST(CopyContents, SaysWhenTheFileShrank) {
  const Fd from = memory_file("short"), to = memory_file("");
  const auto copied = copy_contents(from.get(), to.get(), 100, "from");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, "from: file shrank while being copied");
}

}  // namespace
}  // namespace peregrine
