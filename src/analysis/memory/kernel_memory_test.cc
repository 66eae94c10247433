#include "analysis/memory/kernel_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/memory/row_order.h"
#include "base/types.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// A recording of kmem:kmalloc and kmem:kfree on a machine with two nodes, each with one CPU.
class SlabRecording : public support::TracepointRecording {
 public:
  SlabRecording() : TracepointRecording("identifier,ip,tid,time,cpu,raw") {
    event("kmem:kmalloc", {"ptr", "bytes_req", "bytes_alloc", "call_site", "node"});
    event("kmem:kfree", {"ptr"});
  }
  void allocate(u64 address, u64 requested, u64 allocated, u64 caller, u32 cpu = 0) {
    hit("kmem:kmalloc", {.time = ++time_, .cpu = cpu}, {address, requested, allocated, caller, 0});
  }
  void release(u64 address, u32 cpu = 0) { hit("kmem:kfree", {.time = ++time_, .cpu = cpu}, {address}); }

  // The allocations, as counted by `use`.
  template <class Use>
  void look(const KernelMemoryRequest& request, const Use& use) const {
    support::ReplayedRecording replayed(*this);
    KernelMemory memory(replayed.reader(), request);
    replayed.run(memory);
    ASSERT_TRUE(memory.outcome());
    use(memory);
  }

 private:
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
