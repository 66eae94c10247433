#include "analysis/hist/key/recorded_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// The kernel's order of links: net, uts, ipc, pid, user, mnt, cgroup.
abi::SideBand namespaces_of(u32 tid, std::span<const abi::NamespaceLink> links) {
  return {abi::NamespacesRecord{.pid = tid, .tid = tid, .links = links}, {}, 0, 0};
}

TEST(RecordedNames, KeepThePathsOfCgroupsById) {
  RecordedNames names;
  names.apply({abi::CgroupRecord{.id = 1, .path = "/"}, {}, 0, 0}, 1);
  names.apply({abi::CgroupRecord{.id = 42, .path = "/user.slice"}, {}, 0, 0}, 2);
  names.apply({abi::CommRecord{1, 1, "init", false}, {}, 0, 0}, 3);
  EXPECT_THAT(names.cgroups, ElementsAre(Pair(1, "/"), Pair(42, "/user.slice")));
}

// The records of one thread may go to different workers, or in a live session to one worker after another.
TEST(RecordedNames, KeepTheLatestCgroupNamespaceOfAThread) {
  std::array<abi::NamespaceLink, 7> before{}, after{};
  before[6] = {.device = 4, .inode = 0xeffffffb};
  after[6] = {.device = 4, .inode = 0xf0000001};
  RecordedNames one;
  one.apply(namespaces_of(7, before), 10);
  RecordedNames both = one;
  both.apply(namespaces_of(7, after), 20);
  RecordedNames other;
  other.apply(namespaces_of(7, after), 20);
  RecordedNames merged = one, merged_backwards = other;
  merged.merge(other);
  merged_backwards.merge(one);
  for (const RecordedNames* names : {&both, &merged, &merged_backwards}) {
    ASSERT_EQ(names->cgroup_namespaces.size(), 1u);
    EXPECT_EQ(names->cgroup_namespaces.at(7).link.inode, 0xf0000001u);
  }
}

TEST(RecordedNames, RecordsOfKernelsWithoutCgroupNamespacesAreShorter) {
  const std::array<abi::NamespaceLink, 6> links{};
  RecordedNames names;
  names.apply(namespaces_of(7, links), 1);
  names.apply(namespaces_of(8, {}), 2);
  EXPECT_THAT(names.cgroup_namespaces, IsEmpty());
}

TEST(RecordedNames, MergeIsTheUnion) {
  RecordedNames one, other;
  one.cgroups = {{1, "/"}, {2, "/a"}};
  other.cgroups = {{2, "/a"}, {3, "/b"}};
  other.cgroup_namespaces[9] = {.moment = 1, .link = {.device = 4, .inode = 5}};
  one.merge(other);
  EXPECT_THAT(one.cgroups, ElementsAre(Pair(1, "/"), Pair(2, "/a"), Pair(3, "/b")));
  EXPECT_EQ(one.cgroup_namespaces.at(9).link.inode, 5u);
}

}  // namespace
}  // namespace peregrine
