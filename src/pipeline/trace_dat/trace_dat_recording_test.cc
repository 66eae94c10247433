#include "pipeline/trace_dat/trace_dat_recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "data/reader/reader.h"
#include "support/memory_file.h"
#include "support/trace_dat_file.h"

namespace peregrine {
namespace {

using support::Endian;
using support::memory_file;
using support::TraceDatFile;

class TraceDatRecordings : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<std::optional<TraceDatRecording>> convert(const std::vector<std::byte>& bytes) {
    UnpackBudget budget("t", bytes.size(), folder_);
    return trace_dat_recording(memory_file(bytes), "t", folder_, budget);
  }
  data::Reader opened(const std::vector<std::byte>& bytes) {
    auto made = convert(bytes);
    if (!made || !*made) throw std::runtime_error(made ? "not a trace.dat file" : made.error().message);
    return std::move(*data::Reader::open_fd(std::move((*made)->recording), "t"));
  }
  // A line for each sample and record.
  static std::vector<std::string> lines(data::Reader& reader) {
    std::vector<std::string> lines;
    abi::RecordView record;
    abi::SampleScratch scratch;
    abi::SideBandScratch side_scratch;
    while (reader.next(record).value_or(false)) {
      if (record.type == abi::RecordType::FinishedRound) continue;
      if (record.type != abi::RecordType::Sample) {
        const auto side = abi::decode_side_band(record, reader.evlist().attr_of(record), side_scratch);
        lines.push_back(text_of(**side));
        continue;
      }
      const u32 event = reader.evlist().event_of(record);
      abi::Sample sample;
      EXPECT_TRUE(reader.evlist().decoder(event).decode(record, sample, scratch));
      std::string line = fmt::format("{} tid={} cpu={} time={} raw={}", reader.evlist()[event].name, sample.tid,
                                     sample.cpu, sample.time, sample.raw.size());
      for (const u64 address : sample.callchain) line += fmt::format(" {:x}", address);
      lines.push_back(line);
    }
    return lines;
  }
  static std::string text_of(const abi::SideBand& record) {
    if (const auto* comm = std::get_if<abi::CommRecord>(&record.body))
      return fmt::format("comm {} {}", comm->tid, comm->comm);
    if (const auto* map = std::get_if<abi::MmapRecord>(&record.body))
      return fmt::format("map {} {:x}+{:x}", map->filename, map->start, map->length);
    if (const auto* lost = std::get_if<abi::LostRecord>(&record.body))
      return fmt::format("lost {} cpu={} time={}", lost->lost, record.id.cpu, record.id.time);
    return "?";
  }

  const std::string folder_ = ::testing::TempDir() + "trace_dat_recording";
};

TEST_F(TraceDatRecordings, MergesTheEventsOfAllCpus) {
  for (const unsigned version : {6u, 7u}) {
    for (const Endian endian : {Endian::Little, Endian::Big}) {
      for (const u32 long_size : {4u, 8u}) {
        TraceDatFile file(endian, long_size);
        file.event(0, 1000, 300, 7, {1}).event(0, 3000, 300, 7, {2}).event(2, 2000, 300, 8, {3});
        file.event(2, u64{1} << 40, 300, 8, {3});
        data::Reader reader = opened(file.bytes(version));
        ASSERT_EQ(reader.evlist().size(), 1u) << "only tracepoints with events";
        EXPECT_EQ(reader.header().features.hostname, "here");
        EXPECT_EQ(reader.header().features.os_release, "6.1.0");
        ASSERT_TRUE(reader.header().features.sample_times);
        EXPECT_EQ(reader.header().features.sample_times->last, u64{1} << 40);
        EXPECT_EQ(lines(reader), (std::vector<std::string>{
                                     "comm 7 worker", "comm 8 other name", "sched:one tid=7 cpu=0 time=1000 raw=12",
                                     "sched:one tid=8 cpu=2 time=2000 raw=12", "sched:one tid=7 cpu=0 time=3000 raw=12",
                                     "sched:one tid=8 cpu=2 time=1099511627776 raw=12"}));
      }
    }
  }
}

TEST_F(TraceDatRecordings, HaveWhatUnpackingLeftOfTheBudget) {
  TraceDatFile file;
  file.event(0, 1000, 300, 7, {1});
  const auto bytes = file.bytes(6);
  UnpackBudget budget("t.gz", 1, folder_, {.always = 4096});
  ASSERT_TRUE(budget.add_bytes(4090));
  const auto made = trace_dat_recording(memory_file(bytes), "t.gz", folder_, budget);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::Unsupported);
}

TEST_F(TraceDatRecordings, StacksBecomeCallChains) {
  for (const u32 long_size : {4u, 8u}) {
    TraceDatFile file(Endian::Little, long_size);
    file.event(0, 1000, 300, 7, {1}).stack(0, 1000, 7, {0x81000010, 0x81000020});
    file.event(0, 2000, 300, 7, {1}).stack(0, 2000, 8, {0x81000030});
    data::Reader reader = opened(file.bytes(6));
    EXPECT_EQ(lines(reader),
              (std::vector<std::string>{
                  "comm 7 worker", "comm 8 other name",
                  "sched:one tid=7 cpu=0 time=1000 raw=12 ffffffffffffff80 81000010 81000020",
                  "sched:one tid=7 cpu=0 time=2000 raw=12",
                  fmt::format("ftrace:kernel_stack tid=8 cpu=0 time=2000 raw={}", long_size == 8 ? 28 : 20)}))
        << "a stack of another thread is an event";
  }
}

TEST_F(TraceDatRecordings, FunctionsHaveTheirCaller) {
  TraceDatFile file;
  file.event(0, 1000, 1, 7, {0x81000010, 0xffffffff, 0x81000020, 0xffffffff});
  data::Reader reader = opened(file.bytes(7));
  EXPECT_EQ(lines(reader).back(),
            "ftrace:function tid=7 cpu=0 time=1000 raw=28 ffffffffffffff80 ffffffff81000010 ffffffff81000020");
}

TEST_F(TraceDatRecordings, LostEventsAndSymbolsBecomeRecords) {
  TraceDatFile file;
  file.set_kallsyms(
      "ffffffff81000000 T _text\nffffffff81000100 T schedule\nffffffff81001000 T _etext\n"
      "ffffffffa0000000 t ext4_read\t[ext4]\nffffffffa0000100 t ext4_write\t[ext4]\n");
  file.event(0, 1000, 300, 7, {1}).lost(0, 5).event(0, 2000, 300, 7, {2});
  auto made = convert(file.bytes(6));
  ASSERT_TRUE(made && *made);
  EXPECT_TRUE((*made)->kallsyms);
  auto reader = data::Reader::open_fd(std::move((*made)->recording), "t");
  ASSERT_TRUE(reader);
  const auto found = lines(*reader);
  ASSERT_EQ(found.size(), 7u);
  EXPECT_EQ(found[0], "map [kernel.kallsyms]_text ffffffff81000000+1000");
  EXPECT_TRUE(found[1].starts_with("map [ext4] ffffffffa0000000+"));
  EXPECT_EQ(found[5], "lost 5 cpu=0 time=2000");
}

TEST_F(TraceDatRecordings, KeepsLossesAfterTheLastEventOfACpu) {
  TraceDatFile file;
  file.event(0, 1000, 300, 7, {1}).lost(0, 5).event(1, 500, 300, 7, {2});
  data::Reader reader = opened(file.bytes(6));
  EXPECT_EQ(lines(reader).back(), "lost 5 cpu=0 time=1000");
}

// The page that reports a loss has a time, too.
TEST_F(TraceDatRecordings, PutsLossesOfCpusThatEndEarlyInOrder) {
  TraceDatFile file;
  file.event(0, 1000, 300, 7, {1}).lost(0, 5, 1500);
  file.lost(1, 9, 2500);
  file.event(2, 500, 300, 7, {2}).event(2, 2000, 300, 7, {3}).event(2, 3000, 300, 7, {4}).lost(2, 7);
  for (const unsigned version : {6u, 7u}) {
    data::Reader reader = opened(file.bytes(version));
    const auto found = lines(reader);
    EXPECT_EQ(std::vector(found.begin() + 2, found.end()),
              (std::vector<std::string>{"sched:one tid=7 cpu=2 time=500 raw=12",
                                        "sched:one tid=7 cpu=0 time=1000 raw=12", "lost 5 cpu=0 time=1500",
                                        "sched:one tid=7 cpu=2 time=2000 raw=12", "lost 9 cpu=1 time=2500",
                                        "sched:one tid=7 cpu=2 time=3000 raw=12", "lost 7 cpu=2 time=3000"}));
  }
}

TEST_F(TraceDatRecordings, CountsDamagedPages) {
  TraceDatFile file;
  file.event(0, 1000, 300, 7, {1}).damage(0).event(0, 2000, 300, 7, {2}).event(1, 1500, 300, 7, {3});
  auto made = convert(file.bytes(7));
  ASSERT_TRUE(made && *made);
  EXPECT_EQ((*made)->damaged_pages, 1u);
  auto reader = data::Reader::open_fd(std::move((*made)->recording), "t");
  ASSERT_TRUE(reader);
  const auto found = lines(*reader);
  EXPECT_EQ(
      std::vector(found.end() - 2, found.end()),
      (std::vector<std::string>{"sched:one tid=7 cpu=0 time=1000 raw=12", "sched:one tid=7 cpu=1 time=1500 raw=12"}));
  EXPECT_EQ((*convert(TraceDatFile().event(0, 1, 300, 7, {1}).bytes(7)))->damaged_pages, 0u);
}

TEST_F(TraceDatRecordings, OtherFilesAreNone) {
  const auto other = convert(std::vector<std::byte>(64));
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  EXPECT_FALSE(*convert({}));
}

TEST_F(TraceDatRecordings, ErrorsNameTheFile) {
  auto bytes = TraceDatFile().event(0, 1, 300, 7, {1}).bytes(6);
  bytes.resize(bytes.size() - 10);
  const auto made = convert(bytes);
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().message.starts_with("t: truncated: CPU 0 has 4096 bytes of pages at"))
      << made.error().message;
}

TEST_F(TraceDatRecordings, AFileWithoutEventsIsAnEmptyRecording) {
  data::Reader reader = opened(TraceDatFile().bytes(6));
  EXPECT_TRUE(reader.evlist().empty());
  EXPECT_TRUE(lines(reader).empty());
}

}  // namespace
}  // namespace peregrine
