#include "pipeline/bundle/packed_recording.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace peregrine {
namespace {

class PackedRecording : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(std::string_view bytes) {
    std::ofstream(folder_ + "/x", std::ios::binary) << bytes;
    return folder_ + "/x";
  }
  Result<std::optional<Fd>> unpack(const std::string& path, const UnpackLimits& limits = {}) {
    const auto fd = open_file(path, O_RDONLY);
    EXPECT_TRUE(fd);
    UnpackBudget budget("x", std::filesystem::file_size(path), folder_, limits);
    return unpack_recording(*fd, "x", folder_, budget);
  }

  std::string folder_ = ::testing::TempDir() + "packed_recording";
};

// gzip of "hello\n"
constexpr std::string_view kHello(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06\x00\x00\x00", 26);

// gzip of "a" repeated 4096 times
constexpr std::string_view kLarge(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x01\x0d\x00\x00\x00\xc2\xa0\xac\xef\x5f\xc2\x1e\x0e\x28\x00\x00"
    "\x00\xe0\xdd\x00\x73\xdc\x99\x9c\x00\x10\x00\x00",
    40);

TEST_F(PackedRecording, IsUnpackedIntoAFileWithoutAName) {
  const auto unpacked = unpack(file(kHello));
  ASSERT_TRUE(unpacked && *unpacked);
  char text[16] = {};
  const auto size = pread_full((**unpacked).get(), text, sizeof text, 0);
  ASSERT_TRUE(size);
  EXPECT_EQ(std::string_view(text, *size), "hello\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) EXPECT_EQ(entry.path().filename(), "x");
}

TEST_F(PackedRecording, OfAPlainFileThereIsNone) {
  const auto unpacked = unpack(file("PERFILE2 and more"));
  ASSERT_TRUE(unpacked);
  EXPECT_FALSE(*unpacked);
  EXPECT_FALSE(*unpack(file("")));
}

TEST_F(PackedRecording, DamageAndLimitsAreErrors) {
  EXPECT_EQ(unpack(file(kHello.substr(0, 15))).error().kind, ErrorKind::Malformed);
  EXPECT_EQ(unpack(file(kLarge), {.ratio = 64, .always = 100}).error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(unpack(file(kHello), {.free_space = 3}).error().kind, ErrorKind::System);
}

}  // namespace
}  // namespace peregrine
