#include "symbol/table/name_text.h"

#include <fcntl.h>

#include <unistd.h>

#include <gtest/gtest.h>

#include <fstream>

namespace peregrine {
namespace {

std::string text_of_names() {
  std::string text("\0first\0second\0", 14);
  text += std::string(5000, 'n');  // longer than one read
  text.push_back('\0');
  return text + "open";
}

void expect_names(const NameText& names) {
  ASSERT_TRUE(names.valid());
  EXPECT_EQ(names.at(0), "");
  EXPECT_EQ(names.at(1), "first");
  EXPECT_EQ(names.at(3), "rst");
  EXPECT_EQ(names.at(7), "second");
  EXPECT_EQ(names.at(14), std::string(5000, 'n'));
  EXPECT_EQ(names.at(5015), "open");
  EXPECT_EQ(names.at(names.size()), "");
}

class NameTextFile : public ::testing::Test {
 protected:
  NameTextFile() {
    std::ofstream(path_) << "head" << text_of_names();
    fd_ = *open_file(path_, O_RDONLY);
  }
  ~NameTextFile() override { ::unlink(path_.c_str()); }

  const std::string path_ = ::testing::TempDir() + "/name_text." + std::to_string(::getpid());
  Fd fd_;
};

TEST(NameText, InMemory) { expect_names(NameText(text_of_names())); }

TEST_F(NameTextFile, StaysInTheFile) {
  const NameText names = NameText::in_file(fd_.get(), 4, text_of_names().size());
  expect_names(names);
  EXPECT_LT(names.memory_bytes(), 100u);
  expect_names(names.loaded());
}

TEST_F(NameTextFile, OutlivesTheDescriptorAndThePath) {
  const NameText names = NameText::in_file(fd_.get(), 4, text_of_names().size());
  fd_ = Fd();
  ::unlink(path_.c_str());
  expect_names(names);
}

TEST_F(NameTextFile, AFileCutShortGivesWhatIsLeft) {
  const NameText names = NameText::in_file(fd_.get(), 4, text_of_names().size());
  ASSERT_EQ(::truncate(path_.c_str(), 4 + 10), 0);
  EXPECT_EQ(names.at(1), "first");
  EXPECT_EQ(names.at(7), "sec");
  EXPECT_EQ(names.at(14), "");
}

TEST(NameText, RemembersThatAReadFailed) {
  const Fd folder = *open_file("/", O_RDONLY | O_DIRECTORY);  // read(2) fails with EISDIR
  const NameText names = NameText::in_file(folder.get(), 0, 10);
  EXPECT_FALSE(names.read_failed());
  EXPECT_EQ(names.at(1), "");
  EXPECT_TRUE(names.read_failed());
}

TEST(NameText, WithoutADescriptorIsNotValid) { EXPECT_FALSE(NameText::in_file(-1, 0, 10).valid()); }

}  // namespace
}  // namespace peregrine
