#include "data/trace_dat/trace_dat_writer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "data/trace_dat/trace_dat.h"
#include "support/memory_file.h"

namespace peregrine::data {
namespace {

using support::memory_file;

constexpr u32 kPageSize = 4096;

WrittenTraceDat described(unsigned version, ByteOrder order, u32 long_size) {
  WrittenTraceDat file{.version = version};
  file.tracing.order = order;
  file.tracing.long_size = static_cast<u8>(long_size);
  file.tracing.page_size = kPageSize;
  file.tracing.header_page = ring_layout_text(long_size, kPageSize);
  file.tracing.systems = {{"sched", {"name: one\nID: 300\nformat:\n\nprint fmt: \"\"\n"}}};
  file.tracing.kallsyms = "ffffffff81000000 T _text\n";
  file.tracing.saved_cmdlines = "7 worker\n";
  file.cpus = 3;
  file.clock = "mono";
  file.uname = "Linux here 6.1.0 x86_64";
  file.writer = "1.0";
  return file;
}

TEST(TraceDatWriter, WritesWhatTraceDatReads) {
  for (const unsigned version : {6u, 7u}) {
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      const WrittenTraceDat written = described(version, order, 4);
      PageStore pages(memory_file(), kPageSize);
      const std::vector<std::byte> page(kPageSize, std::byte{5});
      for (const u32 cpu : {2u, 0u, 2u}) ASSERT_TRUE(pages.append(cpu, page));
      const Fd out = memory_file();
      ASSERT_TRUE(write_trace_dat(out.get(), written, pages));
      const auto read = read_trace_dat(out.get());
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->version, version);
      EXPECT_EQ(read->tracing.order, order);
      EXPECT_EQ(read->layout.data_offset, 12u);
      EXPECT_EQ(read->tracing.kallsyms, written.tracing.kallsyms);
      EXPECT_EQ(read->tracing.saved_cmdlines, written.tracing.saved_cmdlines);
      EXPECT_NE(read->tracing.find(300), nullptr);
      EXPECT_EQ(read->cpus, 3u);
      EXPECT_EQ(read->clock_name, "mono");
      EXPECT_EQ(read->uname, written.uname);
      EXPECT_EQ(read->writer, "1.0");
      ASSERT_EQ(read->buffers.size(), 1u);
      EXPECT_EQ(read->buffers[0].packed, version == 7);
      ASSERT_EQ(read->buffers[0].cpus.size(), 2u);
      EXPECT_EQ(read->buffers[0].cpus[1].cpu, 2u);
      EXPECT_EQ(read->buffers[0].cpus[1].offset % kPageSize, 0u);
      if (version == 6) EXPECT_EQ(read->buffers[0].cpus[1].size, 2 * kPageSize);
    }
  }
}

TEST(PageStore, GivesThePagesOfACpuInOrder) {
  PageStore pages(memory_file(), kPageSize);
  for (u8 number = 0; number < 200; ++number)
    ASSERT_TRUE(pages.append(number % 2, std::vector<std::byte>(kPageSize, std::byte{number})));
  ASSERT_TRUE(pages.flush());
  EXPECT_EQ(pages.counts(), (std::map<u32, u64>{{0, 100}, {1, 100}}));
  const auto read = pages.read(1, 98, 16);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2 * kPageSize);
  EXPECT_EQ((*read)[0], std::byte{197});
  EXPECT_EQ(read->back(), std::byte{199});
}

}  // namespace
}  // namespace peregrine::data
