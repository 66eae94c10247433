#include "sys/process/cgroup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/machine.h"

namespace peregrine {
namespace {

// Uses folders as control groups.
class UnifiedCgroups : public ::testing::Test {
 protected:
  UnifiedCgroups() {
    machine_.write("/proc/mounts = cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0");
    machine_.write("/sys/fs/cgroup/user.slice/session-1.scope/cgroup.procs = 1");
    machine_.write("/sys/fs/cgroup/system.slice/cgroup.procs = 1");
  }
  u64 inode(std::string_view path) const {
    struct stat status{};
    EXPECT_EQ(::stat(machine_.root().path(path).c_str(), &status), 0) << path;
    return status.st_ino;
  }

  testing::Machine machine_;
};

// BPF programs identify a group by the inode of its folder and its depth.
TEST_F(UnifiedCgroups, AreIdentifiedByInodeAndLevel) {
  struct Case {
    const char *name, *folder;
    u32 level;
  };
  for (const Case& each :
       {Case{"", "/sys/fs/cgroup", 0}, Case{"/", "/sys/fs/cgroup", 0},
        Case{"user.slice", "/sys/fs/cgroup/user.slice", 1}, Case{"//user.slice/", "/sys/fs/cgroup/user.slice", 1},
        Case{"/user.slice/session-1.scope", "/sys/fs/cgroup/user.slice/session-1.scope", 2}}) {
    const auto group = unified_cgroup(machine_.root(), each.name);
    ASSERT_TRUE(group) << each.name << ": " << group.error().message;
    EXPECT_EQ(group->id, inode(each.folder)) << each.name;
    EXPECT_EQ(group->level, each.level) << each.name;
    EXPECT_EQ(unified_cgroup_folder(machine_.root(), each.name), machine_.root().path(each.folder)) << each.name;
  }
}

TEST_F(UnifiedCgroups, AreFoundByTheirId) {
  for (const char* name : {"/", "/system.slice", "/user.slice/session-1.scope"}) {
    const auto group = unified_cgroup(machine_.root(), name);
    ASSERT_TRUE(group) << name;
    EXPECT_EQ(unified_cgroup_name(machine_.root(), group->id), name);
  }
  EXPECT_EQ(unified_cgroup_name(machine_.root(), 0), "") << "gone";
}

TEST_F(UnifiedCgroups, MustExist) {
  for (const char* name : {"web", "/user.slice/cgroup.procs/x", "user.slice/session-1.scope/cgroup.procs"}) {
    const auto group = unified_cgroup(machine_.root(), name);
    ASSERT_FALSE(group) << name;
    EXPECT_EQ(group.error().kind, ErrorKind::NotFound) << name;
  }
  EXPECT_EQ(unified_cgroup(machine_.root(), "/web/").error().message, "no control group 'web' in /sys/fs/cgroup");
}

TEST_F(UnifiedCgroups, NeedTheUnifiedHierarchy) {
  machine_.write("/proc/mounts = cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0");
  const auto group = unified_cgroup(machine_.root(), "user.slice");
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(group.error().message, "the unified cgroup hierarchy (cgroup2) is not mounted");
  EXPECT_EQ(unified_cgroup_name(machine_.root(), inode("/sys/fs/cgroup/user.slice")), "");
}

// A link could lead upward, and the search would never end.
TEST_F(UnifiedCgroups, AreNotSearchedThroughLinks) {
  std::filesystem::create_directory_symlink(machine_.root().path("/sys/fs/cgroup"),
                                            machine_.root().path("/sys/fs/cgroup/user.slice/again"));
  EXPECT_EQ(*cgroups_matching(machine_.root(), "/sys/fs/cgroup", "slice"),
            (std::vector<std::string>{"system.slice", "user.slice", "user.slice/session-1.scope"}));
}

}  // namespace
}  // namespace peregrine
