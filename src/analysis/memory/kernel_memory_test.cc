#include "analysis/memory/kernel_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/memory/row_order.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/machine.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

constexpr u32 kAllocation = 91, kRelease = 92;

std::string format_of(std::string_view name, u32 id, const std::vector<std::string>& fields) {
  std::string text = fmt::format(
      "name: {}\nID: {}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n", name, id);
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += fmt::format("\tfield:u64 {};\toffset:{};\tsize:8;\tsigned:0;\n", fields[i], 8 + 8 * i);
  return text + "\nprint fmt: \"\"\n";
}

std::string hex_of(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

// A recording of kmem:kmalloc and kmem:kfree on a machine of two nodes with a CPU each.
class SlabRecording {
 public:
  SlabRecording() {
    for (const u32 id : {kAllocation, kRelease})
      data_.attr({{"name", id == kAllocation ? "kmem:kmalloc" : "kmem:kfree"},
                  {"type", 2},
                  {"config", id},
                  {"sample", "identifier,ip,tid,time,cpu,raw"},
                  {"flags", "sample_id_all"},
                  {"ids", id}});
    TracingData tracing;
    tracing.systems.push_back(
        {"kmem",
         {format_of("kmalloc", kAllocation, {"ptr", "bytes_req", "bytes_alloc", "call_site", "node"}),
          format_of("kfree", kRelease, {"ptr"})}});
    data_.feature("tracing_data", {{"hex", hex_of(encode_tracing_data(tracing))}});
  }
  void allocate(u64 address, u64 requested, u64 allocated, u64 caller, u32 cpu = 0) {
    add(kAllocation, {address, requested, allocated, caller, 0}, cpu);
  }
  void release(u64 address, u32 cpu = 0) { add(kRelease, {address}, cpu); }

  // What was allocated, as `use` sees it.
  template <class Use>
  void look(const KernelMemoryRequest& request, const Use& use) const {
    auto reader = data::Reader::open_fd(support::memory_file(data_.bytes()), "perf.data");
    ASSERT_TRUE(reader);
    SymbolPlaces places;
    places.load = false;
    Machine machine(std::move(places));
    KernelMemory memory(*reader, request);
    ReplayOptions options;
    options.workers = 1;
    ASSERT_TRUE(Replay(*reader, machine, std::move(options)).run(memory));
    ASSERT_TRUE(memory.outcome());
    use(memory);
  }

 private:
  void add(u32 id, const std::vector<u64>& values, u32 cpu) {
    std::vector<std::byte> raw(8);
    raw[0] = static_cast<std::byte>(id);
    for (const u64 value : values)
      for (unsigned i = 0; i < 8; ++i) raw.push_back(static_cast<std::byte>(value >> 8 * i));
    data_.record("sample", {{"id", id}, {"pid", 7}, {"tid", 7}, {"time", ++time_}, {"cpu", cpu}, {"raw", hex_of(raw)}},
                 id - kAllocation);
  }
  support::PerfDataBuilder data_;
  u64 time_ = 0;
};

TEST(KernelMemory, SumsSlabAllocationsByCallerAndAddress) {
  SlabRecording recording;
  recording.allocate(0x1000, 10, 16, 0xa);
  recording.allocate(0x2000, 100, 128, 0xa);
  recording.allocate(0x3000, 8, 8, 0xb);
  recording.release(0x2000, 1);
  recording.look({.slab = true}, [](const KernelMemory& memory) {
    EXPECT_FALSE(memory.pages());
    ASSERT_TRUE(memory.slab());
    EXPECT_EQ(memory.slab()->totals().allocated, 152u);
    EXPECT_EQ(memory.slab()->totals().freed, 128u);
    const auto callers = rows_in_order(memory.slab()->by_caller(), {SlabKey::Bytes});
    ASSERT_EQ(callers.size(), 2u);
    EXPECT_EQ(callers[0].key, 0xau);
    EXPECT_EQ(callers[0].hits, 2u);
    EXPECT_EQ(callers[0].ping_pongs, 1u);
  });
}

TEST(KernelMemory, ReadsOnlyTheRequestedSide) {
  SlabRecording recording;
  recording.allocate(0x1000, 10, 16, 0xa);
  recording.look({.pages = true}, [](const KernelMemory& memory) {
    EXPECT_FALSE(memory.slab());
    ASSERT_TRUE(memory.pages());
    EXPECT_FALSE(memory.pages()->tracepoints().any());
  });
}

TEST(RowOrder, PutsTheLargestFirstAndEqualRowsByKey) {
  const std::vector<SlabRow> rows = {{.key = 3, .allocated = 8, .hits = 1},
                                     {.key = 1, .allocated = 8, .hits = 1},
                                     {.key = 2, .allocated = 8, .hits = 5}};
  std::vector<u64> keys;
  for (const SlabRow& row : rows_in_order(rows, {SlabKey::Bytes, SlabKey::Hits})) keys.push_back(row.key);
  EXPECT_THAT(keys, ElementsAre(2, 1, 3));
}

TEST(MigrateTypes, AreOldBeforeLinux44) {
  const auto is_old = [](const char* release) {
    support::PerfDataBuilder data;
    data.attr({{"type", 1}, {"sample", "ip"}});
    data.feature("osrelease", {{"text", release}});
    auto reader = data::Reader::open_fd(support::memory_file(data.bytes()), "perf.data");
    return reader && has_old_migrate_types(*reader);
  };
  EXPECT_TRUE(is_old("3.10.0-1160.el7"));
  EXPECT_TRUE(is_old("4.3.9"));
  EXPECT_FALSE(is_old("4.4.0"));
  EXPECT_FALSE(is_old("6.12.1"));
}

}  // namespace
}  // namespace peregrine
