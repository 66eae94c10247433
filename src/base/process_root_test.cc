#include "base/process_root.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

TEST(SplitProcessPath, FindsTheRootOfAProcess) {
  const auto split = split_process_path("/proc/7/root/usr/bin/true");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->root, "/proc/7/root");
  EXPECT_EQ(split->below, "usr/bin/true");
  EXPECT_EQ(split_process_path("/proc/7/root")->below, "");
  EXPECT_EQ(split_process_path("/proc/7/root/")->below, "");
  for (const char* path : {"/proc/self/root/x", "/proc/7/rooted/x", "/proc/7/map_files/1-2", "/proc//root/x",
                           "proc/7/root/x", "/proc/7", "/tmp/proc/7/root/x", ""})
    EXPECT_FALSE(split_process_path(path)) << path;
}

using Opener = Result<Fd> (*)(const std::string& root, std::string_view below, int flags);

class InRootTest : public ::testing::TestWithParam<Opener> {
 protected:
  InRootTest() {
    fs::create_directories(root_ + "/etc/deep");
    std::ofstream(root_ + "/etc/file") << "inside";
    fs::create_directory(top_ + "/etc");
    std::ofstream(top_ + "/etc/file") << "outside";
  }
  std::string read(std::string_view below, int flags = O_RDONLY) const {
    const auto fd = GetParam()(root_, below, flags);
    if (!fd) return "error " + std::to_string(fd.error().system_errno);
    return read_all(fd->get(), below, 100).value_or("unreadable");
  }
  void link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, root_ + "/" + name);
  }
  TemporaryFolder folder_;
  std::string top_ = folder_.path(), root_ = top_ + "/root";
};

TEST_P(InRootTest, OpensPlainPaths) {
  EXPECT_EQ(read("etc/file"), "inside");
  EXPECT_EQ(read("/etc/deep/.././file"), "inside");
  EXPECT_EQ(read("none"), "error 2");
  EXPECT_EQ(read("etc/file/x"), "error 20");
  EXPECT_TRUE(GetParam()(root_, "", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(GetParam()(root_, "etc/deep/..", O_PATH));
  EXPECT_FALSE(GetParam()(top_ + "/none", "etc/file", O_RDONLY));
}

TEST_P(InRootTest, AnAbsoluteLinkStaysInside) {
  link("absolute", "/etc/file");
  link("etc/deep/chain", "/absolute");
  EXPECT_EQ(read("absolute"), "inside");
  EXPECT_EQ(read("etc/deep/chain"), "inside");
  link("folder", "/etc");
  EXPECT_EQ(read("folder/file"), "inside");
  link("host", top_ + "/etc/file");
  EXPECT_EQ(read("host"), "error 2");
}

TEST_P(InRootTest, ClimbingEndsAtTheRoot) {
  link("etc/climb", "../../../../../../../etc/file");
  link("etc/up", "../..");
  EXPECT_EQ(read("etc/climb"), "inside");
  EXPECT_EQ(read("etc/up/etc/file"), "inside");
  EXPECT_EQ(read("../etc/file"), "inside");
}

TEST_P(InRootTest, LinksInACircleEnd) {
  link("one", "two");
  link("two", "/one");
  EXPECT_EQ(read("one"), "error 40");
}

TEST_P(InRootTest, FollowsNoLastLinkWhenThatIsAskedFor) {
  link("absolute", "/etc/file");
  EXPECT_EQ(read("absolute", O_RDONLY | O_NOFOLLOW), "error 40");
  EXPECT_EQ(read("etc/file", O_RDONLY | O_NOFOLLOW), "inside");
}

INSTANTIATE_TEST_SUITE_P(All, InRootTest, ::testing::Values(&open_in_root, &open_in_root_by_steps),
                         [](const auto& test) { return test.index == 0 ? "Openat2" : "BySteps"; });

// Our own root, accessed as a process's root: open_file() and stat_file() recognize the form of the path.
TEST(ProcessRoot, FilesAreOpenedAndLookedAtInside) {
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/root";
  if (!fs::exists(own + "/")) GTEST_SKIP() << "/proc is not mounted";
  const auto opened = open_file(own + "/proc/filesystems", O_RDONLY);
  ASSERT_TRUE(opened) << opened.error().message;
  const auto status = stat_file(own + "/proc/filesystems"), direct = stat_file("/proc/filesystems");
  ASSERT_TRUE(status && direct);
  EXPECT_EQ(status->st_ino, direct->st_ino);
  // A link in /proc itself could lead anywhere; inside a root it leads nowhere.
  EXPECT_FALSE(open_file(own + "/proc/self/exe", O_RDONLY));
  EXPECT_FALSE(stat_file(own + "/proc/self/root/"));
}

}  // namespace
}  // namespace peregrine
