#include "symbol/kernel/kallsyms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>

#include "base/build_id.h"
#include "base/fd.h"
#include "symbol/kernel/kallsyms_cache.h"

namespace peregrine {
namespace {

constexpr std::string_view kKallsyms =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000040 t local_function\n"
    "ffffffff81000080 W weak_function\n"
    "ffffffff81000080 T strong_function\n"
    "ffffffff81000100 r constants\n"
    "ffffffff81000200 D jiffies\n"
    "ffffffff81000300 T _etext\n"
    "not a line\n"
    "ffffffff8100\n"
    "ffffffffc0201000 t ext4_read\t[ext4]\n"
    "ffffffffc0201100 T ext4_write\t[ext4]\n"
    "ffffffffc0300000 t bpf_prog_1234_x\t[bpf]\n"
    "ffffffffc0101000 t btrfs_read\t[btrfs]";

TEST(Kallsyms, KeepsTextWeakDataAndBss) {
  const Kallsyms kallsyms = parse_kallsyms(kKallsyms);
  EXPECT_EQ(kallsyms.text, 0xffffffff81000000u);
  EXPECT_EQ(kallsyms.stext, 0xffffffff81000000u);
  EXPECT_EQ(kallsyms.etext, 0xffffffff81000300u);
  EXPECT_EQ(kallsyms.reference_name(), "_text");
  EXPECT_FALSE(kallsyms.hidden);
  EXPECT_EQ(kallsyms.kernel.find(0xffffffff81000010)->name,
            "_text");  // the last one at an address wins, and extends to the next address
  EXPECT_EQ(kallsyms.kernel.find(0xffffffff81000050)->name, "local_function");
  EXPECT_EQ(kallsyms.kernel.find(0xffffffff81000150)->name, "strong_function");  // "constants" is skipped
  EXPECT_EQ(kallsyms.kernel.find(0xffffffff81000250)->name, "jiffies");
  EXPECT_FALSE(kallsyms.kernel.find(0xffffffff80000000));
  EXPECT_EQ(kallsyms.kernel.find(0xffffffff81000300)->end, 0xffffffff81002000u);
}

TEST(Kallsyms, ModulesHaveTheirOwnTables) {
  const Kallsyms kallsyms = parse_kallsyms(kKallsyms);
  ASSERT_EQ(kallsyms.modules.size(), 2u);
  const ModuleSymbols* ext4 = kallsyms.find_module("[ext4]");
  ASSERT_NE(ext4, nullptr);
  EXPECT_EQ(ext4->start, 0xffffffffc0201000u);
  EXPECT_EQ(ext4->table.find(0xffffffffc0201080)->name, "ext4_read");
  EXPECT_FALSE(kallsyms.kernel.find(0xffffffffc0201080));
  EXPECT_EQ(kallsyms.find_module("[bpf]"), nullptr);
  EXPECT_EQ(kallsyms.find_module("[xfs]"), nullptr);
}

TEST(Kallsyms, ZeroAddressesAreHidden) {
  const Kallsyms kallsyms = parse_kallsyms("0000000000000000 T _text\n0000000000000000 T _stext\n");
  EXPECT_TRUE(kallsyms.hidden);
  EXPECT_TRUE(kallsyms.kernel.empty());
  EXPECT_FALSE(parse_kallsyms("").hidden);
}

TEST(Kallsyms, ParsesModules) {
  const auto modules = parse_modules(
      "ext4 1105920 2 - Live 0xffffffffc0a00000 (OE)\n"
      "crc32c-intel 16384 0 - Live 0x0000000000000000\n"
      "short line\n");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[0].name, "ext4");
  EXPECT_EQ(modules[0].size, 1105920u);
  EXPECT_EQ(modules[0].start, 0xffffffffc0a00000u);
  EXPECT_EQ(modules[1].name, "crc32c_intel");
  EXPECT_EQ(hash_modules("a 1 2 - Live 0x10\n"), hash_modules("a 1 7 b, Live 0x10\n"));
  EXPECT_NE(hash_modules("a 1 2 - Live 0x10\n"), hash_modules("a 1 2 - Live 0x20\n"));
}

class KallsymsCacheFile : public ::testing::Test {
 protected:
  KallsymsKey key_{.kernel = *BuildId::parse("0123456789abcdef"), .text = 0xffffffff81000000, .modules = 5};
  Kallsyms kallsyms_ = parse_kallsyms(kKallsyms);
};

TEST_F(KallsymsCacheFile, RoundTrips) {
  const std::string path = ::testing::TempDir() + "/kallsyms_cache." + std::to_string(::getpid());
  ASSERT_TRUE(KallsymsCache::save(path, key_, kallsyms_));
  auto loaded = KallsymsCache::load(path, key_);
  std::filesystem::remove(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->kernel.size(), kallsyms_.kernel.size());
  for (u32 i = 0; i < loaded->kernel.size(); ++i) {
    const Symbol ours = loaded->kernel.at(SymbolIndex(i));
    const Symbol theirs = kallsyms_.kernel.at(SymbolIndex(i));
    EXPECT_EQ(ours.name, theirs.name);
    EXPECT_EQ(ours.start, theirs.start);
    EXPECT_EQ(ours.end, theirs.end);
    EXPECT_EQ(ours.binding, theirs.binding);
  }
  EXPECT_EQ(loaded->etext, kallsyms_.etext);
  ASSERT_NE(loaded->find_module("[ext4]"), nullptr);
  EXPECT_EQ(loaded->find_module("[ext4]")->table.find(0xffffffffc0201100)->name, "ext4_write");
}

// A link planted in place of the cache is replaced, never followed.
TEST_F(KallsymsCacheFile, FollowsNoLink) {
  const std::string path = ::testing::TempDir() + "kallsyms_cache_link", victim = path + "_victim";
  std::ofstream(victim) << "mine";
  std::filesystem::remove(path);
  std::filesystem::create_symlink(victim, path);
  EXPECT_FALSE(KallsymsCache::load(path, key_));
  ASSERT_TRUE(KallsymsCache::save(path, key_, kallsyms_));
  EXPECT_EQ(read_file(victim), "mine");
  EXPECT_TRUE(KallsymsCache::load(path, key_));
  std::filesystem::remove(path);
  std::filesystem::remove(victim);
}

TEST_F(KallsymsCacheFile, AnotherKeyIsAbsent) {
  const std::string file = KallsymsCache::encode(key_, kallsyms_);
  KallsymsKey other = key_;
  other.text += 0x200000;
  EXPECT_EQ(KallsymsCache::decode(file, other).error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(KallsymsCache::decode(file, key_));
}

TEST_F(KallsymsCacheFile, EveryDamageIsNoticed) {
  const std::string file = KallsymsCache::encode(key_, kallsyms_);
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(KallsymsCache::decode(std::string_view(file).substr(0, size), key_));
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] ^= 0x11;
    EXPECT_FALSE(KallsymsCache::decode(damaged, key_)) << at;
  }
}

TEST(KernelReference, IsFoundEarlyInTheRunningKernel) {
  auto reference = read_kernel_reference("/proc/kallsyms");
  if (!reference || reference->hidden) GTEST_SKIP() << "kernel addresses are hidden";
  EXPECT_NE(reference->address(), 0u);
}

}  // namespace
}  // namespace peregrine
