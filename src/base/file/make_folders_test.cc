#include "base/file/make_folders.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

class MakeFoldersTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string top_ = folder_.path();
};

TEST_F(MakeFoldersTest, MakesEveryMissingFolderWithTheMode) {
  ASSERT_TRUE(make_folders(top_ + "/a/b/c", 0700));
  for (const char* part : {"/a", "/a/b", "/a/b/c"}) EXPECT_EQ(mode_of(top_ + part), 0700u) << part;
  EXPECT_TRUE(make_folders(top_ + "/a/b/c", 0700));
  EXPECT_TRUE(make_folders(top_ + "/a//d/", 0700));
}

TEST_F(MakeFoldersTest, LeavesFoldersThatAreThere) {
  fs::create_directory(top_ + "/a");
  fs::permissions(top_ + "/a", fs::perms(0755));
  ASSERT_TRUE(make_folders(top_ + "/a/b", 0700));
  EXPECT_EQ(mode_of(top_ + "/a"), 0755u);
}

TEST_F(MakeFoldersTest, NamesWhatCannotBeMade) {
  std::ofstream(top_ + "/file") << "x";
  const auto made = make_folders(top_ + "/file/b/c", 0700);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, top_ + "/file/b: Not a directory");
}

}  // namespace
}  // namespace peregrine
