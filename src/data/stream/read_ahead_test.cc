#include "data/stream/read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/fd.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kCapacity = ReadAhead::kMargin + 4096;

class ReadAheadFile : public ::testing::Test {
 protected:
  ReadAheadFile() {
    for (u32 i = 0; text_.size() < 300'000; ++i) text_ += std::to_string(i) + ' ';
    std::ofstream(path_) << text_;
    fd_ = *open_file(path_, O_RDONLY);
  }
  ~ReadAheadFile() override { ::unlink(path_.c_str()); }

  std::string read_all(u64 at, u64 end) {
    ReadAhead ahead(fd_.get(), at, end, kCapacity);
    std::string read;
    for (;;) {
      auto block = ahead.next(std::make_unique_for_overwrite<std::byte[]>(kCapacity));
      EXPECT_EQ(block.error, 0);
      EXPECT_EQ(block.offset, at + read.size());
      if (block.size == 0) break;
      read.append(reinterpret_cast<const char*>(block.memory.get()) + ReadAhead::kMargin, block.size);
    }
    EXPECT_EQ(ahead.next(nullptr).size, 0u) << "the end stays the end";
    return read;
  }

  const std::string path_ = ::testing::TempDir() + "/read_ahead." + std::to_string(::getpid());
  std::string text_;
  Fd fd_;
};

TEST_F(ReadAheadFile, GivesTheSpanInOrder) {
  EXPECT_EQ(read_all(0, text_.size()), text_);
  EXPECT_EQ(read_all(5, 9000), text_.substr(5, 8995));
  EXPECT_EQ(read_all(7, 7), "");
}

TEST_F(ReadAheadFile, AFileShorterThanTheSpanEndsIt) {
  EXPECT_EQ(read_all(100, ~u64{0}), text_.substr(100));
  EXPECT_EQ(read_all(text_.size() + 1, ~u64{0}), "");
}

TEST_F(ReadAheadFile, CanBeLeftAtAnyBlock) {
  for (int blocks = 0; blocks < 30; blocks += 7) {
    ReadAhead ahead(fd_.get(), 0, text_.size(), kCapacity);
    for (int i = 0; i < blocks; ++i) ahead.next(std::make_unique_for_overwrite<std::byte[]>(kCapacity));
  }
}

TEST_F(ReadAheadFile, AFailureIsToldOnce) {
  ReadAhead ahead(-1, 0, 10, kCapacity);
  const auto block = ahead.next(nullptr);
  EXPECT_EQ(block.size, 0u);
  EXPECT_EQ(block.error, EBADF);
}

}  // namespace
}  // namespace peregrine::data
