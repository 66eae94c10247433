// Process files in /proc, with contents as written by real kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "support/machine.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

struct MapCase {
  const char* line;
  u32 prot, flags;
  u64 inode;
  const char* path;
};

TEST(MapLines, HaveProtectionSharingAndAPath) {
  const MapCase cases[] = {
      {"1000-2000 ---p 00000000 00:00 0 ", 0, MAP_PRIVATE, 0, ""},
      {"1000-2000 ---p 00000000 00:00 0", 0, MAP_PRIVATE, 0, ""},  // without a blank at the end
      {"1000-2000 rw-s 00000000 00:05 77                         /dev/zero (deleted)", PROT_READ | PROT_WRITE,
       MAP_SHARED, 77, "/dev/zero (deleted)"},
      {"1000-2000 rwxp 00000000 00:00 0                          [heap]", PROT_READ | PROT_WRITE | PROT_EXEC,
       MAP_PRIVATE, 0, "[heap]"},
      {"1000-2000 r--p 00000000 fe:01 18446744073709551615       /a  b", PROT_READ, MAP_PRIVATE, ~u64{0}, "/a  b"},
      {"1000-2000 --xp 00000000 00:00 0   //anon", PROT_EXEC, MAP_PRIVATE, 0, "//anon"},
  };
  for (const MapCase& each : cases) {
    const auto map = parse_map_line(each.line);
    ASSERT_TRUE(map) << each.line;
    EXPECT_EQ(map->prot, each.prot) << each.line;
    EXPECT_EQ(map->flags, each.flags) << each.line;
    EXPECT_EQ(map->inode, each.inode) << each.line;
    EXPECT_EQ(map->path, each.path) << each.line;
  }
}

TEST(MapLines, ReachTheEndOfTheAddressSpace) {
  const auto map = parse_map_line("ffffffffff600000-ffffffffffffffff --xp 7fffffffffffffff ffff:fffff 0 [vsyscall]");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->start, 0xffffffffff600000u);
  EXPECT_EQ(map->end, ~u64{0});
  EXPECT_EQ(map->offset, 0x7fffffffffffffffu);
  EXPECT_EQ(map->major, 0xffffu);
  EXPECT_EQ(map->minor, 0xfffffu);
}

TEST(MapLines, AreSkippedWhereTheyAreInvalid) {
  const testing::Machine machine;
  machine.write("/proc/7/maps = 1000-2000 r-xp 0 08:01 5 /one\\ngarbage\\n\\n3000-4000 r-xp 0 08:01 6 /two");
  std::vector<std::string> paths;
  ASSERT_TRUE(for_each_map(machine.root(), 7, [&](const MapLine& map) { paths.emplace_back(map.path); }));
  EXPECT_EQ(paths, (std::vector<std::string>{"/one", "/two"}));
  const auto gone = for_each_map(machine.root(), 8, [](const MapLine&) { FAIL(); });
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::NotFound);
}

TEST(StatusFiles, TellKernelThreadsByTheirLackOfMemory) {
  const testing::Machine machine;
  machine.write("/proc/2/status = Name:\\tkthreadd\\nTgid:\\t2\\nPPid:\\t0\\nUid:\\t0\\t0\\t0\\t0\\nThreads:\\t1");
  const auto status = status_of(machine.root(), 2);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->kernel_thread);
  EXPECT_EQ(status->comm, "kthreadd");
  EXPECT_EQ(status->ppid, 0);
  for (const char* row : {"VmPeak:\\t  1 kB", "VmSize:\\t  1 kB"}) {
    machine.write(fmt::format("/proc/3/status = Name:\\tsh\\n{}", row));
    EXPECT_FALSE(status_of(machine.root(), 3)->kernel_thread) << row;
  }
}

// A program chooses its name, which may look like another row.
TEST(StatusFiles, BelieveRowsAtTheStartOfALineOnly) {
  const testing::Machine machine;
  machine.write("/proc/4/status = Name:\\tUid: 0 Tgid: 1\\nTgid:\\t4\\nUid:\\t1000\\t1001\\t1002\\t1003");
  const auto status = status_of(machine.root(), 4);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->comm, "Uid: 0 Tgid: 1");
  EXPECT_EQ(status->tgid, 4);
  EXPECT_EQ(status->uid, 1000u);
  EXPECT_EQ(status->euid, 1001u);
}

TEST(StatusFiles, LackingRowsAreNoIds) {
  const testing::Machine machine;
  machine.write("/proc/5/status = Name:\\tx\\nUid:\\tnobody");
  const auto status = status_of(machine.root(), 5);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->tgid, -1);
  EXPECT_EQ(status->ppid, -1);
  EXPECT_EQ(status->uid, ~0u) << "no user, and above all not root";
  EXPECT_EQ(status->euid, ~0u);
  EXPECT_FALSE(status_of(machine.root(), 6));
}

TEST(StatFiles, HaveTheStateAfterTheName) {
  const testing::Machine machine;
  machine.write("/proc/7/stat = 7 (sh) S 1 7 7 0");
  machine.write("/proc/8/stat = 8 (a) Z (b) T 1 8 8 0");
  for (const char* text : {"9", "9 (sh)", "9 (sh", ""}) {
    machine.write(fmt::format("/proc/9/stat = {}", text));
    EXPECT_FALSE(process_state(machine.root(), 9)) << text;
  }
  EXPECT_EQ(process_state(machine.root(), 7), 'S');
  EXPECT_EQ(process_state(machine.root(), 8), 'T') << "a program chooses its name";
  EXPECT_FALSE(process_state(machine.root(), 10)) << "it has ended";
}

TEST(ProcessLists, AreTheNumbersInOrder) {
  const testing::Machine machine;
  for (const char* name : {"10", "9", "self", "2147483647", "4294967296", "1x", "net"})
    machine.write(fmt::format("/proc/{}/comm = {}", name, name));
  EXPECT_EQ(all_processes(machine.root()), (std::vector<Pid>{9, 10, 2147483647}));
  EXPECT_TRUE(threads_of(machine.root(), 9).empty()) << "gone";
}

TEST(ProcessLists, ChooseTheRealUser) {
  const testing::Machine machine;
  machine.write("/proc/1/status = Name:\\tinit\\nUid:\\t0\\t0\\t0\\t0");
  machine.write("/proc/2/status = Name:\\tsudo\\nUid:\\t1000\\t0\\t0\\t0");
  machine.write("/proc/3/comm = without status");
  EXPECT_EQ(processes_of_user(machine.root(), 0), (std::vector<Pid>{1}));
  EXPECT_EQ(processes_of_user(machine.root(), 1000), (std::vector<Pid>{2})) << "whatever it may do";
  EXPECT_TRUE(processes_of_user(machine.root(), 7).empty());
}

// /proc/self shows the reader's pid in the namespace of that /proc.
TEST(PidNamespaces, AreComparedByTheReadersOwnPid) {
  const testing::Machine machine;
  EXPECT_TRUE(shows_own_pid_namespace(machine.root())) << "nothing contradicts it";
  machine.write("/proc/1/comm = x");
  const std::string self = machine.root().path("/proc/self");
  std::filesystem::create_symlink(std::to_string(::getpid()), self);
  EXPECT_TRUE(shows_own_pid_namespace(machine.root()));
  std::filesystem::remove(self);
  std::filesystem::create_symlink(std::to_string(::getpid() + 1), self);
  EXPECT_FALSE(shows_own_pid_namespace(machine.root()));
}

TEST(ModuleLists, HaveAddressesUnlessTheyAreHidden) {
  const testing::Machine machine;
  machine.write(
      "/proc/modules = ext4 1142784 1 - Live 0xffffffffc0500000\\n"
      "nvidia 39174144 2 nvidia_drm,nvidia_uvm, Live 0x0000000000000000 (POE)\\nbroken line");
  const auto modules = kernel_modules(machine.root());
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].name, "ext4");
  EXPECT_EQ(modules[0].size, 1142784u);
  EXPECT_EQ(modules[0].start, 0xffffffffc0500000u);
  EXPECT_EQ(modules[1].name, "nvidia");
  EXPECT_EQ(modules[1].start, 0u);
  EXPECT_TRUE(kernel_modules(testing::Machine().root()).empty());
}

}  // namespace
}  // namespace peregrine
