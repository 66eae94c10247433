#include "output/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.h"

namespace peregrine {
namespace {

TEST(Sink, FormatsNumbers) {
  Sink sink;
  sink.decimal(0).append(' ').decimal(7, 3).append(' ').decimal(12345).append(' ').decimal(5, 3, '0');
  sink.append(' ').decimal(~u64{0}).append(' ').decimal_signed(-42, 5).append(' ').decimal_signed(42, 5);
  EXPECT_EQ(sink.text(), "0   7 12345 005 18446744073709551615   -42    42");
  sink.take();
  sink.hex(0).append(' ').hex(0xffffffff81000000, 16).append(' ').hex(0xbeef, 8).append(' ').hex(0xbeef, 8, '0');
  EXPECT_EQ(sink.text(), "0 ffffffff81000000     beef 0000beef");
}

TEST(Sink, PadsText) {
  Sink sink;
  sink.right("ab", 4).left("cd", 4).append('|').right("longer", 3);
  EXPECT_EQ(sink.take(), "  abcd  |longer");
  EXPECT_EQ(sink.text(), "");
}

TEST(Sink, GrowsInMemory) {
  Sink sink;
  const std::string part(3000, 'x');
  for (int i = 0; i < 10; ++i) sink.append(part).append('\n');
  EXPECT_EQ(sink.text().size(), 30010u);
}

TEST(Sink, WritesEverythingThroughASmallBuffer) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Fd out(ends[0]), in(ends[1]);
  std::string expected;
  {
    Sink sink(in.get(), 64);
    for (unsigned i = 0; i < 100; ++i) {
      sink.decimal(i).append(' ');
      expected += std::to_string(i) + " ";
    }
    sink.append(std::string(1000, 'y')).fill('z', 500);
    expected += std::string(1000, 'y') + std::string(500, 'z');
    EXPECT_TRUE(sink.flush());
  }
  in.reset();
  auto read = read_all(out.get(), "pipe");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, expected);
}

TEST(Sink, RemembersAFailedWrite) {
  auto full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full);
  Sink sink(full->get());
  sink.append("lost");
  auto flushed = sink.flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().system_errno, ENOSPC);
  EXPECT_TRUE(flushed.error().message.starts_with("cannot write output: ")) << flushed.error().message;
  sink.append("also lost");
  sink.set_file("/dev/full");
  flushed = sink.flush();
  ASSERT_FALSE(flushed);
  EXPECT_TRUE(flushed.error().message.starts_with("cannot write '/dev/full': ")) << flushed.error().message;
}

}  // namespace
}  // namespace peregrine
