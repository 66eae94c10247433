#include "data/trace_dat/trace_dat.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file/content_kind.h"
#include "support/memory_file.h"
#include "support/trace_dat_file.h"

namespace peregrine::data {
namespace {

using support::Endian;
using support::memory_file;
using support::TraceDatFile;

Result<TraceDat> read(const std::vector<std::byte>& bytes) { return read_trace_dat(memory_file(bytes).get()); }

std::string error_of(std::vector<std::byte> bytes) {
  const auto file = read(bytes);
  return file ? "" : file.error().message;
}

TEST(TraceDat, BothVersionsHaveTheSameContents) {
  for (const unsigned version : {6u, 7u}) {
    for (const Endian endian : {Endian::Little, Endian::Big}) {
      for (const u32 long_size : {4u, 8u}) {
        TraceDatFile made(endian, long_size);
        made.event(0, 1000, 300, 7, {1}).event(2, 2000, 300, 8, {2});
        made.option(8, made.value().put32(4)).option(1, made.text_value("0x10")).option(7, made.text_value("-5"));
        made.set_kallsyms("ffffffff81000000 T _text\n");
        const auto bytes = made.bytes(version);
        EXPECT_EQ(content_kind(bytes), ContentKind::TraceDat);
        const auto file = read(bytes);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ(file->version, version);
        EXPECT_EQ(file->layout.commit_size, long_size);
        EXPECT_EQ(file->tracing.formats.size(), 3u);
        EXPECT_EQ(file->tracing.kallsyms, "ffffffff81000000 T _text\n");
        EXPECT_EQ(file->tracing.saved_cmdlines, "7 worker\n8 other name\n");
        EXPECT_EQ(file->cpus, 4u);
        EXPECT_EQ(file->clock.offset, 0x10 * 1000 - 5);
        EXPECT_TRUE(file->dated);
        EXPECT_EQ(file->clock_name, "mono");
        EXPECT_EQ(file->uname, "Linux here 6.1.0 x86_64");
        ASSERT_EQ(file->buffers.size(), 1u);
        ASSERT_EQ(file->buffers[0].cpus.size(), 2u) << "the CPU without pages is left out";
        EXPECT_EQ(file->buffers[0].cpus[1].cpu, 2u);
        EXPECT_EQ(file->buffers[0].cpus[1].size, TraceDatFile::kPageSize);
      }
    }
  }
}

TEST(TraceDat, ReadsTheClockOfCyclesAndOfGuests) {
  TraceDatFile made;
  made.event(0, 1000, 300, 7, {1});
  made.option(14, made.value().put32(3).put32(1).put64(0));
  made.option(12, made.value().put64(9).put32(1).put32(2).put32(1).put64(5).put64(6).put64(1).put32(0).put64(0));
  const auto file = read(made.bytes(6));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->clock.multiplier, 3u);
  EXPECT_EQ(file->clock.shift, 1u);
  EXPECT_TRUE(file->clock.interpolate);
  ASSERT_EQ(file->clock.shifts.size(), 2u);
  ASSERT_EQ(file->clock.shifts[0].size(), 1u);
  EXPECT_EQ(file->clock.shifts[0][0].offset, 6);
  EXPECT_TRUE(file->clock.shifts[1].empty());
}

TEST(TraceDat, IgnoresAnImpossibleNumberOfCpus) {
  TraceDatFile made;
  made.event(0, 1000, 300, 7, {1});
  made.option(8, made.value().put32(0xffffffff));
  const auto file = read(made.bytes(6));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->cpus, read(TraceDatFile().event(0, 1000, 300, 7, {1}).bytes(6))->cpus);
}

TEST(TraceDat, RejectsWhatItCannotRead) {
  std::vector<std::byte> bytes = TraceDatFile().event(0, 1, 300, 7, {1}).bytes(6);
  bytes[10] = std::byte{'8'};
  EXPECT_EQ(error_of(bytes), "trace.dat version 8 is not supported (only 6 and 7)");
  bytes = TraceDatFile().event(0, 1, 300, 7, {1}).bytes(7);
  bytes[18] = std::byte{'l'};
  EXPECT_EQ(error_of(bytes), "compressed with 'lone', which is not supported (only zstd and zlib)");
  bytes = TraceDatFile().event(0, 1, 300, 7, {1}).bytes(6);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::memcpy(bytes.data() + text.find("flyrecord"), "latency  ", 9);
  EXPECT_EQ(error_of(bytes), "contains the text of a latency tracer, not events");
}

TEST(TraceDat, ATruncatedFileIsAnErrorWhereverItEnds) {
  for (const unsigned version : {6u, 7u}) {
    const auto bytes = TraceDatFile().event(0, 1, 300, 7, {1}).event(1, 1, 300, 7, {1}).bytes(version);
    for (std::size_t size = 10; size < bytes.size(); size += size < 300 ? 1 : 97)
      EXPECT_NE(error_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
}

TEST(TraceDat, EveryChangedByteIsReadOrRejected) {
  for (const unsigned version : {6u, 7u}) {
    const auto bytes = TraceDatFile().event(0, 1, 300, 7, {1}).bytes(version);
    for (std::size_t at = 10; at < std::min<std::size_t>(bytes.size(), 4096); ++at) {
      auto changed = bytes;
      changed[at] = std::byte{0xff};
      (void)read(changed);
    }
  }
}

}  // namespace
}  // namespace peregrine::data
