// What is synthesised must read back as the side-band it stands for: every record goes through abi's decoder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "abi/side_band.h"
#include "capture/synthesis/kernel.h"
#include "capture/synthesis/process.h"
#include "capture/synthesis/session.h"

namespace peregrine {
namespace {

// A folder that plays /proc.
class FakeSystem {
 public:
  FakeSystem() : path_(::testing::TempDir() + "peregrine-synthesis-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~FakeSystem() { std::filesystem::remove_all(path_); }
  void file(const std::string& name, const std::string& text) {
    const std::filesystem::path target = path_ + name;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << text;
  }
  void process(int pid, int parent, const std::string& comm, const std::string& maps) {
    const std::string folder = "/proc/" + std::to_string(pid);
    file(folder + "/status", "Name:\t" + comm + "\nTgid:\t" + std::to_string(pid) + "\nPid:\t" + std::to_string(pid) +
                                 "\nPPid:\t" + std::to_string(parent) + "\nUid:\t0\t0\t0\t0\nVmPeak:\t 1 kB\n");
    file(folder + "/task/" + std::to_string(pid) + "/status", "");
    file(folder + "/comm", comm + "\n");
    file(folder + "/maps", maps);
  }
  Root root() const { return Root(path_); }

 private:
  std::string path_;
};

abi::EventAttr plain_attr() {
  abi::EventAttr attr;
  attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time;
  attr.set(abi::attr_flag::SampleIdAll);
  return attr;
}

// The records in a buffer, each whole.
std::vector<abi::RecordView> records_in(const ByteWriter& out) {
  std::vector<abi::RecordView> records;
  Bytes rest = out.bytes();
  while (rest.size() >= abi::kRecordHeaderSize) {
    const std::size_t size = load<u16>(rest.data() + 6);
    if (size < abi::kRecordHeaderSize || size > rest.size()) break;
    abi::RecordView record;
    record.type = static_cast<abi::RecordType>(load<u32>(rest.data()));
    record.misc = load<u16>(rest.data() + 4);
    record.bytes = rest.first(size);
    records.push_back(record);
    rest = rest.subspan(size);
  }
  EXPECT_TRUE(rest.empty());
  return records;
}

template <class T>
T decode(const abi::RecordView& record, abi::SideBandScratch& scratch) {
  const auto side_band = abi::decode_side_band(record, plain_attr(), scratch);
  if (!side_band || !*side_band || !std::holds_alternative<T>((*side_band)->body)) {
    ADD_FAILURE() << "not that record: type " << static_cast<u32>(record.type);
    return {};
  }
  EXPECT_EQ((*side_band)->id.time, 0u);
  return std::get<T>((*side_band)->body);
}

constexpr const char* kMaps =
    "5611b0943000-5611b0945000 r--p 00000000 fe:00 248056   /usr/bin/sleep\n"
    "5611b0945000-5611b094a000 r-xp 00002000 fe:00 248056   /usr/bin/sleep\n"
    "7f342fc8e000-7f342fc90000 r-xp 00000000 00:00 0        [vdso]\n"
    "7f342fd00000-7f342fd01000 rwxp 00000000 00:00 0 \n";

TEST(SynthesizeProcesses, TellsForkCommAndCodeMaps) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  ProcessSynthesis what;
  what.trailer_size = abi::sample_id_size(plain_attr());
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), what, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 5u);
  abi::SideBandScratch scratch;
  const auto fork = decode<abi::ForkRecord>(records[0], scratch);
  EXPECT_EQ(fork.pid, 100u);
  EXPECT_EQ(fork.parent_pid, 1u);
  EXPECT_EQ(decode<abi::CommRecord>(records[1], scratch).comm, "sleep");
  const auto code = decode<abi::MmapRecord>(records[2], scratch);
  EXPECT_EQ(code.filename, "/usr/bin/sleep");
  EXPECT_EQ(code.start, 0x5611b0945000u);
  EXPECT_EQ(code.length, 0x5000u);
  EXPECT_EQ(code.page_offset, 0x2000u);
  EXPECT_EQ(code.inode, 248056u);
  EXPECT_EQ(code.protection, 5u);
  EXPECT_EQ(decode<abi::MmapRecord>(records[3], scratch).filename, "[vdso]");
  EXPECT_EQ(decode<abi::MmapRecord>(records[4], scratch).filename, "//anon");
}

TEST(SynthesizeProcesses, DataMapsOnlyWhenAsked) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  ProcessSynthesis what;
  what.data_maps = true;
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_all_processes(system.root(), what, pool, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 6u);
  EXPECT_NE(records[2].misc & abi::misc_bit::MmapData, 0);
}

TEST(SynthesizeThreads, SkipsWhatIsGone) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  WorkerPool pool(1);
  ByteWriter out;
  synthesize_threads(system.root(), {}, {100, 200}, pool, out);
  EXPECT_EQ(records_in(out).size(), 4u);
}

TEST(SynthesizeProcesses, CountsThoseWhoseMapsCannotBeRead) {
  FakeSystem system;
  system.process(100, 1, "sleep", kMaps);
  system.process(200, 1, "hidden", kMaps);
  std::filesystem::remove(system.root().path("/proc/200/maps"));
  std::filesystem::create_directory(system.root().path("/proc/200/maps"));  // open works, read does not
  WorkerPool pool(1);
  ByteWriter out;
  EXPECT_EQ(synthesize_all_processes(system.root(), {}, pool, out), std::vector<Pid>{200});
  EXPECT_EQ(synthesize_threads(system.root(), {}, {100, 200}, pool, out), std::vector<Pid>{200});
  EXPECT_EQ(synthesize_threads(system.root(), {}, {100, 300}, pool, out), std::vector<Pid>{})
      << "one that is gone has no maps";
}

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

TEST(SessionRecords, IdIndexIsSplitAtTheRecordLimit) {
  const std::vector<IdIndexEntry> entries(5000);
  ByteWriter out;
  synthesize_id_index(entries, out);
  u64 total = 0;
  for (const auto& record : records_in(out)) total += load<u64>(record.bytes.data() + 8);
  EXPECT_EQ(total, entries.size());
}

TEST(SessionRecords, CpuMapsAreRangesOrLists) {
  ByteWriter out;
  synthesize_cpu_map({0, 1, 2}, out);
  synthesize_cpu_map({0, 2}, out);
  synthesize_cpu_map({-1}, out);
  const auto records = records_in(out);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(load<u16>(records[0].bytes.data() + 8), 2u);  // range
  EXPECT_EQ(load<u16>(records[1].bytes.data() + 8), 0u);  // list
  EXPECT_EQ(load<u16>(records[2].bytes.data() + 12), 0xffffu);
}

}  // namespace
}  // namespace peregrine
