#include "output/profile/gmon.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "support/profile_words.h"

namespace peregrine {
namespace {

using support::ProfileWords;

// main calls work, which calls itself; both also run code of the kernel.
ProfileWords recursive_work() {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main"}, 1'000'000);
  for (int i = 0; i < 70'000; ++i) words.sample(load, {"main", "work", "work"}, 1'000'000);
  words.sample(load, {"main", "i:small"}, 1'000'000);
  words.sample(load, {"main", "work", "k:sys_read"}, 1'000'000);
  for (ProfileFrame& frame : words.profile.frames) {
    const std::string_view name = words.profile.text(frame.symbol);
    frame.address = name == "main" ? 0x1100 : name == "work" ? 0x1140 : 0x9000;
  }
  return words;
}

template <class T>
T taken(std::string_view& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

TEST(Gmon, WritesHistogramsAndArcsOfTheProgram) {
  const ProfileWords words = recursive_work();
  EXPECT_EQ(most_sampled_program(words.profile, 0), 0u);
  EXPECT_EQ(samples_in(words.profile, 0, 0), 70'002u);
  Sink out;
  print_gmon(out, words.profile, 0, 0);
  const std::string text = out.take();
  std::string_view bytes = text;
  ASSERT_TRUE(bytes.starts_with(std::string_view("gmon\1\0\0\0", 8)));
  bytes.remove_prefix(20);
  // The bin of `work` overflows into a second histogram.
  u64 main = 0, work = 0;
  for (int histogram = 0; histogram < 2; ++histogram) {
    EXPECT_EQ(taken<u8>(bytes), 0);
    EXPECT_EQ(taken<u64>(bytes), 0x1100u);
    EXPECT_EQ(taken<u64>(bytes), 0x1142u);
    const u32 bins = taken<u32>(bytes);
    ASSERT_EQ(bins, 33u);
    EXPECT_EQ(taken<u32>(bytes), 1000u) << "samples per second";
    EXPECT_EQ(bytes.substr(0, 7), "seconds");
    bytes.remove_prefix(16);
    for (u32 bin = 0; bin < bins; ++bin) (bin == 0 ? main : work) += taken<u16>(bytes);
  }
  EXPECT_EQ(main, 2u) << "with the inlined function";
  EXPECT_EQ(work, 70'000u);
  const auto expect_arc = [&](u64 from, u64 to, u32 count) {
    EXPECT_EQ(taken<u8>(bytes), 1);
    EXPECT_EQ(taken<u64>(bytes), from);
    EXPECT_EQ(taken<u64>(bytes), to);
    EXPECT_EQ(taken<u32>(bytes), count);
  };
  expect_arc(0x1100, 0x1140, 70'001);
  expect_arc(0x1140, 0x1140, 70'000);
  EXPECT_TRUE(bytes.empty());
}

TEST(Gmon, AProfileOfTheKernelHasNoProgram) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {"k:sys_read"}, 1);
  EXPECT_FALSE(most_sampled_program(words.profile, 0));
}

TEST(Gmon, BoundsTheBinsOfDistantAddresses) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {"main"}, 1);
  words.sample(0, {"work"}, 1);
  words.profile.frames[0].address = 0;
  words.profile.frames[1].address = ~u64{0};
  Sink out;
  print_gmon(out, words.profile, 0, 0);
  EXPECT_LT(out.take().size(), std::size_t{1} << 24);
}

}  // namespace
}  // namespace peregrine
