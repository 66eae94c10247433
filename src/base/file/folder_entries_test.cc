#include "base/file/folder_entries.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/fd.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class FolderEntriesTest : public ::testing::Test {
 protected:
  FolderEntriesTest() {
    std::ofstream(folder_ + "/b") << "text";
    std::ofstream(folder_ + "/.a") << "hidden";
    std::filesystem::create_directory(folder_ + "/c");
  }

  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path();
};

TEST_F(FolderEntriesTest, GivesNamesAndTypes) {
  std::map<std::string, bool> folders;
  FolderEntries entries(folder_);
  while (const auto entry = entries.next()) folders[std::string(entry->name)] = entry->type == DT_DIR;
  EXPECT_THAT(folders, ElementsAre(Pair(".a", false), Pair("b", false), Pair("c", true)));
  EXPECT_EQ(entries.error(), 0);
  EXPECT_FALSE(entries.next());
}

TEST_F(FolderEntriesTest, ReadsADescriptorFromTheBeginningEachTime) {
  const Fd fd(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int round = 0; round < 2; ++round) EXPECT_THAT(names_in_folder(fd.get()), ElementsAre(".a", "b", "c"));
}

TEST_F(FolderEntriesTest, SaysWhyAFolderCannotBeRead) {
  EXPECT_EQ(FolderEntries(folder_ + "/none").error(), ENOENT);
  EXPECT_EQ(FolderEntries(folder_ + "/b").error(), ENOTDIR);
  EXPECT_EQ(FolderEntries(-1).error(), EBADF);
  EXPECT_THAT(names_in_folder(folder_ + "/none"), IsEmpty());
}

TEST_F(FolderEntriesTest, TellsRegularFiles) {
  EXPECT_TRUE(is_regular_file(folder_ + "/b"));
  EXPECT_FALSE(is_regular_file(folder_ + "/c"));
  EXPECT_FALSE(is_regular_file(folder_ + "/none"));
}

}  // namespace
}  // namespace peregrine
