#include "session/build_id/cache_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/kept_messages.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CacheKeeperTest : public ::testing::Test {
 protected:
  CacheKeeper keeper(bool verbose = true) {
    return {{.folder = folder_.path("cache"), .verbose = verbose}, nullptr, messages_};
  }
  std::string listed() {
    Sink out;
    keeper().list(out);
    return out.take();
  }

  TemporaryFolder folder_;
  testing::KeptMessages messages_;
  const std::string self_ = std::filesystem::read_symlink("/proc/self/exe").string();
};

TEST_F(CacheKeeperTest, NamesAnInvalidFileOnce) {
  const std::string file = folder_.write("wl.c", "int main() {}\n");
  static_cast<void>(keeper().add(file));
  EXPECT_THAT(messages_.take(), HasSubstr("Couldn't add " + file + ": not an ELF file\n"));
}

TEST_F(CacheKeeperTest, ReportsAFileThatIsNotThereAndGoesOn) {
  EXPECT_TRUE(keeper().add(folder_.path("absent")));
  EXPECT_THAT(messages_.take(), HasSubstr("Couldn't add " + folder_.path("absent") + ": No such file or directory"));
}

TEST_F(CacheKeeperTest, TellsAFifoFromAFile) {
  ASSERT_EQ(::mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(keeper().add(folder_.path("fifo")));
  EXPECT_TRUE(keeper().add(folder_.path())) << "a folder";
}

TEST_F(CacheKeeperTest, AddsListsAndPurges) {
  EXPECT_EQ(listed(), "");
  ASSERT_TRUE(keeper().add(self_));
  const std::string told = messages_.take();
  if (!told.starts_with("Adding")) GTEST_SKIP() << "the test program has no build-id: " << told;
  EXPECT_THAT(told, HasSubstr(self_ + ": Ok"));
  EXPECT_THAT(listed(), HasSubstr(" " + self_ + "\n"));
  keeper().purge(self_);
  EXPECT_THAT(messages_.take(), HasSubstr("Purging " + self_ + ": Ok"));
  EXPECT_EQ(listed(), "");
}

TEST_F(CacheKeeperTest, AddsOnlyTheRunningKernel) {
  keeper().add_kernel(folder_.path("core"));
  EXPECT_THAT(messages_.take(), HasSubstr("only the running kernel's"));
}

TEST(NamesInsideRoot, FollowLinksBelowTheRoot) {
  const TemporaryFolder root;
  std::filesystem::create_directories(root.path("opt/v2"));
  root.write("opt/v2/tool", "");
  std::filesystem::create_symlink("/opt/v2", root.path("opt/now"));
  std::filesystem::create_symlink("../opt/now/tool", root.path("opt/tool"));
  const NamesInside names = names_inside(root.path(), {"/opt/now/tool", "/opt/tool"});
  EXPECT_EQ(names.at("/opt/now/tool"), "/opt/v2/tool");
  EXPECT_EQ(names.at("/opt/tool"), "/opt/v2/tool");
}

TEST(KeptFileList, NamesEachFileAndEmptiesTheCache) {
  const TemporaryFolder folder;
  const KeptFiles files(folder.path(), 1 << 20);
  const BuildId id = *BuildId::parse(std::string(40, 'a'));
  ASSERT_TRUE(files.save(KeptKind::Lines, id, "12345"));
  const auto listed = [&files] {
    Sink out;
    list_kept_files(files, out);
    return out.take();
  };
  EXPECT_EQ(listed(), "         5 " + std::string(40, 'a') + " lines\n");
  EXPECT_TRUE(remove_kept_files(files));
  EXPECT_EQ(listed(), "");
}

TEST(FilesOfLists, AreTakenOnceInOrder) { EXPECT_THAT(files_of_lists({"b,a", "c,a"}), ElementsAre("a", "b", "c")); }

}  // namespace
}  // namespace peregrine
