#include "machine/dso/live_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace peregrine {
namespace {

namespace fs = std::filesystem;

// Process 4711 in a container; its /opt/prog is a different file from ours.
class LiveFile : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"proc/4711/ns", "proc/4711/root/opt", "proc/self/ns", "opt"})
      fs::create_directories(top_ + "/" + folder);
    std::ofstream(top_ + "/opt/prog") << "ours";
    std::ofstream(top_ + "/proc/4711/root/opt/prog") << "theirs";
    fs::create_symlink("mnt:[1]", top_ + "/proc/self/ns/mnt");
    fs::create_symlink("mnt:[2]", top_ + "/proc/4711/ns/mnt");
  }
  void TearDown() override { fs::remove_all(top_); }

  MappedFile mapped(const std::string& path_of_inode) const {
    struct stat status{};
    EXPECT_EQ(::stat((top_ + path_of_inode).c_str(), &status), 0);
    return {"/opt/prog", 4711, major(status.st_dev), minor(status.st_dev), status.st_ino};
  }
  void write_maps(const MappedFile& file, const std::string& name) const {
    std::ofstream(top_ + "/proc/4711/maps") << fmt::format("00400000-00401000 r--p 00000000 {0:02x}:{1:02x} {2} {3}\n",
                                                           file.major, file.minor, file.inode + 1, name)
                                            << fmt::format("00401000-00402000 r-xp 00001000 {0:02x}:{1:02x} {2} {3}\n",
                                                           file.major, file.minor, file.inode, name);
  }

  std::string top_ = ::testing::TempDir() + "live_file." + std::to_string(::getpid());
  Root root_{top_};
};

TEST_F(LiveFile, ThePathItselfServesWhileItIsTheMappedInode) {
  EXPECT_EQ(place_while_recording(root_, mapped("/opt/prog")), top_ + "/opt/prog");
}

TEST_F(LiveFile, AFileOfAContainerIsReachedThroughTheRootOfItsProcess) {
  const MappedFile theirs = mapped("/proc/4711/root/opt/prog");
  EXPECT_EQ(place_while_recording(root_, theirs), top_ + "/proc/4711/root/opt/prog");
  EXPECT_EQ(live_places(root_, theirs, false).front(), top_ + "/proc/4711/root/opt/prog");
}

TEST_F(LiveFile, ADeletedFileIsReachedThroughItsMap) {
  MappedFile gone = mapped("/opt/prog");
  gone.path = "/opt/prog (deleted)";
  gone.inode += 1000;
  write_maps(gone, "/opt/prog (deleted)");
  EXPECT_EQ(live_places(root_, gone, false), std::vector{top_ + "/proc/4711/map_files/401000-402000"});
  EXPECT_EQ(place_while_recording(root_, gone), top_ + "/proc/4711/map_files/401000-402000");
}

TEST_F(LiveFile, IgnoresFilesOfAReusedPid) {
  MappedFile gone = mapped("/opt/prog");
  gone.inode += 1000;
  EXPECT_TRUE(live_places(root_, gone, false).empty());  // the file there is a different one, and no build-id will be
                                                         // compared
  EXPECT_EQ(live_places(root_, gone, true).size(), 1u);
  EXPECT_EQ(place_while_recording(root_, gone), "");
  gone.pid = 4712;
  EXPECT_TRUE(live_places(root_, gone, true).empty());
  EXPECT_EQ(place_while_recording(root_, gone), "");
}

TEST_F(LiveFile, WithoutAnInodeThePathIsAllThereIs) {
  EXPECT_EQ(place_while_recording(root_, {"/opt/prog", 4711}), top_ + "/opt/prog");
  EXPECT_TRUE(live_places(root_, {"/opt/prog", 4711}, false).empty());
}

}  // namespace
}  // namespace peregrine
