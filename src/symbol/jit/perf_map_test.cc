#include "symbol/jit/perf_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/types.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {
namespace {

TEST(PerfMap, NamesGoToTheEndOfTheLine) {
  const PerfMap map = parse_perf_map(
      "7f0000001000 40 Ljava/lang/String;::hashCode (I)I\n"
      "0x7f0000001040 0x20 LazyCompile:~foo bar.js:1\r\n"
      " 7f0000005000  10 blanks\n"
      "garbage\n"
      "7f0000002000 zz bad size\n"
      "7f0000003000 10\n"
      "\n"
      "7f0000004000 10 last");
  EXPECT_EQ(map.bad_lines, 3u);
  EXPECT_EQ(map.table.size(), 4u);
  EXPECT_EQ(map.table.find(0x7f0000001001)->name, "Ljava/lang/String;::hashCode (I)I");
  EXPECT_EQ(map.table.find(0x7f000000105f)->name, "LazyCompile:~foo bar.js:1");
  EXPECT_EQ(map.table.find(0x7f0000004000)->name, "last");
  EXPECT_EQ(map.table.find(0x7f0000005000)->name, "blanks");
  EXPECT_FALSE(map.table.find(0x7f0000001060));
}

// Any user can write the map of a process that root profiles.
TEST(PerfMap, CutsNamesOfMegabytes) {
  const PerfMap map = parse_perf_map("1000 40 " + std::string(1 << 20, 'x') + "\n2000 40 next\n");
  ASSERT_EQ(map.table.size(), 2u);
  EXPECT_EQ(map.table.find(0x1000)->name, std::string(16384, 'x'));
  EXPECT_EQ(map.table.find(0x2000)->name, "next");
}

TEST(PerfMap, LaterCodeTakesThePlaceOfEarlier) {
  const PerfMap map = parse_perf_map(
      "1000 40 old same\n1000 40 new same\n"
      "2000 200 old around\n2080 20 new inside\n"
      "3010 10 old inside\n3000 100 new around\n"
      "4000 100 old left\n4080 100 new right\n"
      "5000 10 apart\n");
  const auto name = [&](u64 address) {
    const auto symbol = map.table.find(address);
    return symbol ? symbol->name : "";
  };
  EXPECT_EQ(name(0x1000), "new same");
  EXPECT_EQ(name(0x103f), "new same");
  EXPECT_EQ(name(0x1040), "");
  EXPECT_EQ(name(0x207f), "old around");
  EXPECT_EQ(name(0x2080), "new inside");
  EXPECT_EQ(name(0x20a0), "old around");
  EXPECT_EQ(map.table.find(0x20a0)->start, 0x2000u);
  EXPECT_EQ(name(0x3015), "new around");
  EXPECT_EQ(name(0x30ff), "new around");
  EXPECT_EQ(name(0x407f), "old left");
  EXPECT_EQ(name(0x40ff), "new right");
  EXPECT_EQ(name(0x417f), "new right");
  EXPECT_EQ(name(0x4180), "");
  EXPECT_EQ(name(0x500f), "apart");
  EXPECT_EQ(parse_perf_map("ffffffffffffff00 ff old\nffffffffffffff00 ff new\n").table.find(~u64{0} - 1)->name, "new");
}

TEST(PerfMap, RangesThatWrapAroundAreBad) {
  EXPECT_EQ(parse_perf_map("ffffffffffffff00 200 wraps\n").bad_lines, 1u);
  EXPECT_EQ(parse_perf_map("11112222333344445555 2 too long\n").bad_lines, 1u);
}

class PerfMapFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_ = ::testing::TempDir() + "/perf_map." + std::to_string(::getpid());
};

TEST_F(PerfMapFile, IsReadFromTrustedOwnersOnly) {
  const std::string path = folder_ + "/perf-1.map";
  std::ofstream(path) << "1000 10 jitted\n";
  const auto owned_by = [](uid_t user) { return FileOwners({user}); };
  auto map = load_perf_map(path, owned_by(::getuid()));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->table.find(0x1000)->name, "jitted");
  if (::getuid() != 0) EXPECT_EQ(load_perf_map(path, owned_by(::getuid() + 1)).error().kind, ErrorKind::Denied);
  if (::getuid() == 0 && ::chown(path.c_str(), 12345, 12345) == 0) {
    EXPECT_EQ(load_perf_map(path, owned_by(777)).error().kind, ErrorKind::Denied);
    EXPECT_EQ(load_perf_map(path, owned_by(0)).error().kind, ErrorKind::Denied);  // not even root is exempt
    EXPECT_TRUE(load_perf_map(path, owned_by(12345)));
    EXPECT_TRUE(load_perf_map(path, FileOwners({0, 12345})));
    EXPECT_TRUE(load_perf_map(path, std::nullopt));
  }
}

TEST_F(PerfMapFile, EndsAtTheHoleOfASparseFile) {
  const std::string path = folder_ + "/sparse.map";
  std::ofstream(path) << "1000 40 first\n";
  ASSERT_EQ(::truncate(path.c_str(), 1 << 20), 0);
  const auto map = load_perf_map(path, std::nullopt);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->table.size(), 1u);
  EXPECT_EQ(map->bad_lines, 0u);
}

TEST_F(PerfMapFile, LinksAndPipesAreRefused) {
  std::ofstream(folder_ + "/target") << "1000 10 x\n";
  std::filesystem::create_symlink("target", folder_ + "/link");
  EXPECT_FALSE(load_perf_map(folder_ + "/link", std::nullopt));
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(load_perf_map(folder_ + "/pipe", std::nullopt).error().kind, ErrorKind::Malformed);
}

TEST_F(PerfMapFile, OnlyAnOwnerThatWasSeenIsCalledUntrusted) {
  const std::string path = folder_ + "/perf-2.map";
  std::ofstream(path) << "1000 10 jitted\n";
  if (::getuid() == 0 && ::chown(path.c_str(), 12345, 12345) == 0)
    EXPECT_EQ(miss_of_run_time_file(load_perf_map(path, FileOwners({0})).error()), MissReason::Untrusted);
  // The error of /proc/PID/root for a process that may not be inspected.
  EXPECT_EQ(miss_of_run_time_file(fail_errno("/proc/7/root/tmp/perf-7.map", EACCES).error()), MissReason::Denied);
  EXPECT_EQ(miss_of_run_time_file(fail_errno(path, ENOENT).error()), MissReason::Absent);
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder_ + "/link");
  for (const char* name : {"/pipe", "/link"})
    EXPECT_EQ(miss_of_run_time_file(load_perf_map(folder_ + name, std::nullopt).error()), MissReason::NotRegular);
  // The error of opening a link below /proc/PID/root.
  EXPECT_EQ(miss_of_run_time_file(fail_errno(path, ELOOP).error()), MissReason::NotRegular);
}

}  // namespace
}  // namespace peregrine
