#include "capture/synthesis/kernel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "abi/sample.h"
#include "abi/side_band.h"
#include "capture/synthesis/cgroup.h"
#include "support/synthesized_records.h"

namespace peregrine {
namespace {

using support::decode;
using support::FakeSystem;
using support::plain_attr;
using support::records_in;

TEST(KernelText, NeedsOnlyTheHeadOfKallsyms) {
  FakeSystem system;
  system.file("/proc/kallsyms",
              "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 T start_kernel\n");
  system.file("/proc/iomem", "00001000-0009ffff : System RAM\n  01000000-0220bb07 : Kernel code\n");
  const auto text = kernel_text(system.root());
  ASSERT_TRUE(text);
  EXPECT_EQ(text->start, 0xffffffff81000000u);
  EXPECT_EQ(text->end, 0xffffffff8220bb08u);
}

TEST(KernelText, FallsBackToEtext) {
  FakeSystem system;
  system.file("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81900000 T _etext\n");
  const auto text = kernel_text(system.root());
  ASSERT_TRUE(text);
  EXPECT_EQ(text->end, 0xffffffff81900000u);
}

TEST(KernelText, HiddenAddressesGiveNone) {
  FakeSystem system;
  system.file("/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
  EXPECT_FALSE(kernel_text(system.root()));
}

TEST(SynthesizeModules, NamesFilesWhereModulesDepKnowsThem) {
  FakeSystem system;
  system.file("/proc/modules", "snd_hda 1000 0 - Live 0xffffffffc0100000\nother 2000 0 - Live 0xffffffffc0000000\n");
  system.file("/proc/sys/kernel/osrelease", "6.1.0-test\n");
  system.file("/lib/modules/6.1.0-test/modules.dep", "kernel/sound/snd-hda.ko: kernel/x.ko\n");
  ByteWriter out;
  synthesize_module_maps(system.root(), false, abi::sample_id_size(plain_attr()), out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 2u);
  abi::SideBandScratch scratch;
  EXPECT_EQ(decode<abi::MmapRecord>(records[0], scratch).filename, "[other]");
  EXPECT_EQ(decode<abi::MmapRecord>(records[1], scratch).filename, "/lib/modules/6.1.0-test/kernel/sound/snd-hda.ko");
}

TEST(KernelText, BeginsAtStextWithoutText) {
  FakeSystem system;
  system.file("/proc/kallsyms", "ffffffff81000000 T _stext\nffffffff81900000 T _etext\n");
  ASSERT_TRUE(kernel_text(system.root()));
  EXPECT_EQ(kernel_text(system.root())->start, 0xffffffff81000000u);
}

// /proc/iomem shows zeros to ordinary users.
TEST(KernelText, ReadsAllSymbolsWhenTheSizeIsHidden) {
  FakeSystem system;
  std::string symbols = "ffffffff81000000 T _text\n";
  for (int i = 0; i < 500; ++i) symbols += "ffffffff81000100 t some_function_of_the_kernel\n";
  system.file("/proc/kallsyms", symbols + "ffffffff81700000 T _etext\n");
  system.file("/proc/iomem", "00000000-00000000 : System RAM\n  00000000-00000000 : Kernel code\n");
  ASSERT_TRUE(kernel_text(system.root()));
  EXPECT_EQ(kernel_text(system.root())->end, 0xffffffff81700000u);
}

TEST(KernelText, MustEndBehindItsStart) {
  FakeSystem system;
  EXPECT_FALSE(kernel_text(system.root())) << "no symbols at all";
  system.file("/proc/kallsyms", "ffffffff81900000 T _text\nffffffff81000000 T _etext\n");
  EXPECT_FALSE(kernel_text(system.root()));
  system.file("/proc/kallsyms", "\nzz T _text\nffffffff81000000\n");
  EXPECT_FALSE(kernel_text(system.root()));
}

TEST(SynthesizeKernel, ThePageOffsetIsTheAddressOfText) {
  ByteWriter out;
  synthesize_kernel_map({0xffffffff81000000, 0xffffffff81900000}, {}, abi::sample_id_size(plain_attr()), out);
  abi::SideBandScratch scratch;
  const auto map = decode<abi::MmapRecord>(records_in(out).at(0), scratch);
  EXPECT_EQ(map.filename, "[kernel.kallsyms]_text");
  EXPECT_EQ(map.page_offset, map.start);
  EXPECT_EQ(map.length, 0x900000u);
  EXPECT_EQ(map.pid, ~u32{0});
  EXPECT_FALSE(map.version2);
}

TEST(SynthesizeKernel, KeepsItsBuildId) {
  const std::vector<std::byte> bytes(20, std::byte{0xab});
  ByteWriter out;
  synthesize_kernel_map({0x1000, 0x2000}, BuildId::from_bytes(bytes), abi::sample_id_size(plain_attr()), out);
  abi::SideBandScratch scratch;
  const auto map = decode<abi::MmapRecord>(records_in(out).at(0), scratch);
  ASSERT_TRUE(map.has_build_id);
  EXPECT_TRUE(std::ranges::equal(map.build_id, bytes));
}

TEST(SynthesizeModules, HiddenModulesHaveNoMaps) {
  FakeSystem system;
  system.file("/proc/modules", "snd 1000 0 - Live 0x0000000000000000\nbroken line\n");
  ByteWriter out;
  synthesize_module_maps(system.root(), false, 0, out);
  EXPECT_EQ(out.size(), 0u);
}

TEST(SynthesizeModules, FindsCompressedFiles) {
  FakeSystem system;
  system.file("/proc/modules", "nf_nat 1000 0 - Live 0xffffffffc0100000\n");
  system.file("/proc/sys/kernel/osrelease", "6.1.0-test\n");
  system.file("/lib/modules/6.1.0-test/modules.dep", "kernel/net/nf-nat.ko.xz:\n");
  ByteWriter out;
  synthesize_module_maps(system.root(), false, abi::sample_id_size(plain_attr()), out);
  abi::SideBandScratch scratch;
  EXPECT_EQ(decode<abi::MmapRecord>(records_in(out).at(0), scratch).filename,
            "/lib/modules/6.1.0-test/kernel/net/nf-nat.ko.xz");
}

TEST(SynthesizeCgroups, NamesEveryGroupBelowTheMount) {
  FakeSystem system;
  system.file("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
  system.file("/sys/fs/cgroup/a/b/cgroup.procs", "");
  system.file("/sys/fs/cgroup/c/cgroup.procs", "");
  ByteWriter out;
  synthesize_cgroups(system.root(), abi::sample_id_size(plain_attr()), out);
  std::map<std::string, u64> ids;
  abi::SideBandScratch scratch;
  for (const auto& record : records_in(out)) {
    const auto group = decode<abi::CgroupRecord>(record, scratch);
    ids[std::string(group.path)] = group.id;
  }
  ASSERT_EQ(ids.size(), 4u);
  EXPECT_TRUE(ids.contains("/") && ids.contains("/a") && ids.contains("/c"));
  struct stat status{};
  ASSERT_EQ(::stat(system.root().path("/sys/fs/cgroup/a/b").c_str(), &status), 0);
  EXPECT_EQ(ids["/a/b"], status.st_ino);
}

TEST(SynthesizeCgroups, WritesNothingWithoutAMount) {
  FakeSystem system;
  system.file("/proc/mounts", "tmpfs /tmp tmpfs rw 0 0\n");
  ByteWriter out;
  synthesize_cgroups(system.root(), 0, out);
  EXPECT_EQ(out.size(), 0u);
}

}  // namespace
}  // namespace peregrine
