#include "session/kernel/memory_session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>

#include "base/types.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "session/recording/opened_recording.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr u32 kSlab = 91, kPage = 92;

std::string kmem_format(std::string_view name, u32 id, const std::vector<std::string>& fields) {
  std::string text = fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", name, id);
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += fmt::format("\tfield:u64 {};\toffset:{};\tsize:8;\tsigned:0;\n", fields[i], 8 + 8 * i);
  return text + "\nprint fmt: \"\"\n";
}

std::string raw_fields(u32 id, std::initializer_list<u64> values) {
  std::string text = fmt::format("{:02x}00000000000000", id);
  for (const u64 value : values)
    for (unsigned i = 0; i < 8; ++i) text += fmt::format("{:02x}", value >> 8 * i & 0xff);
  return text;
}

// A recording of one kmalloc() of 100 bytes that took 128 and, with `pages`, of one page.
TracedRecording kmem_recording(bool pages) {
  support::PerfDataBuilder data;
  const auto event = [&](const char* name, u32 id) {
    data.attr({{"name", name},
               {"type", 2},
               {"config", id},
               {"sample", "identifier,ip,tid,time,cpu,raw"},
               {"flags", "sample_id_all"},
               {"ids", id}});
  };
  event("kmem:kmalloc", kSlab);
  TracingData tracing;
  tracing.systems.push_back(
      {"kmem", {kmem_format("kmalloc", kSlab, {"ptr", "bytes_req", "bytes_alloc", "call_site", "node"})}});
  if (pages) {
    event("kmem:mm_page_alloc", kPage);
    tracing.systems[0].formats.push_back(
        kmem_format("mm_page_alloc", kPage, {"pfn", "order", "gfp_flags", "migratetype"}));
  }
  std::string hex;
  for (const std::byte byte : encode_tracing_data(tracing)) hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
  data.feature("tracing_data", {{"hex", hex}});
  data.record("sample",
              {{"id", kSlab}, {"time", 1000}, {"raw", raw_fields(kSlab, {0xffff888000001000, 100, 128, 0x10, 0})}});
  if (pages) data.record("sample", {{"id", kPage}, {"time", 2000}, {"raw", raw_fields(kPage, {7, 0, 0, 0})}}, 1);
  SymbolPlaces places;
  places.load = false;
  TracedRecording recording;
  recording.reader = std::make_unique<OpenedRecording>(support::open_built(data));
  recording.machine = std::make_unique<Machine>(std::move(places));
  return recording;
}

class KernelMemoryOfARecording : public ::testing::Test {
 protected:
  void show(bool recorded_pages, const MemoryRequest& request) {
    TracedRecording recording = kmem_recording(recorded_pages);
    Sink out;
    const auto missing = show_kernel_memory(recording, request, out, messages_);
    ASSERT_TRUE(missing) << missing.error().message;
    missing_ = *missing;
    text_ = out.take();
  }
  testing::KeptMessages messages_;
  std::vector<std::string_view> missing_;
  std::string text_;
};

TEST_F(KernelMemoryOfARecording, ShowsBothSidesSlabFirst) {
  show(true, {.slab = true, .pages = true});
  EXPECT_THAT(missing_, IsEmpty());
  EXPECT_THAT(text_, HasSubstr("Total bytes requested: 100"));
  const std::size_t slab = text_.find("SLAB allocator"), pages = text_.find("page allocator");
  ASSERT_NE(pages, std::string::npos);
  EXPECT_LT(slab, pages);
}

TEST_F(KernelMemoryOfARecording, ShowsOnlyTheRequestedSide) {
  show(true, {.pages = true});
  EXPECT_THAT(text_, Not(HasSubstr("SLAB allocator")));
  EXPECT_THAT(text_, HasSubstr("page allocator"));
}

TEST_F(KernelMemoryOfARecording, ReportsTheSideThatWasNotRecorded) {
  show(false, {.slab = true, .pages = true});
  EXPECT_THAT(missing_, ElementsAre("page"));
  EXPECT_THAT(text_, HasSubstr("SLAB allocator"));
  EXPECT_THAT(text_, Not(HasSubstr("page allocator")));
}

}  // namespace
}  // namespace peregrine
