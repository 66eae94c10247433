#include "analysis/memory/slab_usage.h"

#include <gtest/gtest.h>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/row_order.h"
#include "base/result.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;

class ObjectRecording : public TracepointRecording {
 public:
  ObjectRecording() {
    event("kmem:kmalloc_node", {"ptr", "bytes_req", "bytes_alloc", "call_site", "node"});
    event("kmem:kmem_cache_free", {"ptr"});
  }
  void allocate(u64 address, u64 requested, u64 allocated, u32 cpu = 0, u64 node = 0) {
    hit("kmem:kmalloc_node", {.time = ++time_, .cpu = cpu}, {address, requested, allocated, 0xa, node});
  }
  void release(u64 address, u32 cpu = 0) { hit("kmem:kmem_cache_free", {.time = ++time_, .cpu = cpu}, {address}); }

 private:
  u64 time_ = 0;
};

template <class Look>
void objects_of(const TracepointRecording& recording, const Look& look) {
  ReplayedRecording replayed(recording);
  SlabUsage usage(replayed.reader(), {0, 1});  // CPU 0 is in node 0, CPU 1 in node 1
  replayed.run(usage);
  look(usage);
}

TEST(SlabUsage, FragmentationIsTheShareThatNobodyRequested) {
  ObjectRecording recording;
  recording.allocate(0x100, 24, 32);
  recording.allocate(0x200, 8, 32);
  objects_of(recording, [](const SlabUsage& usage) {
    ASSERT_EQ(usage.by_caller().size(), 1u);
    EXPECT_DOUBLE_EQ(usage.by_caller()[0].fragmentation(), 50);
  });
  EXPECT_EQ(SlabRow().fragmentation(), 0) << "nothing was allocated";
}

TEST(SlabUsage, AnAddressIsFreedOnce) {
  ObjectRecording recording;
  recording.allocate(0x100, 24, 32);
  recording.release(0x100, 1);
  recording.release(0x100, 1);
  objects_of(recording, [](const SlabUsage& usage) {
    EXPECT_EQ(usage.totals().freed, 32u);
    EXPECT_EQ(usage.totals().net(), 0);
    EXPECT_EQ(usage.by_address().at(0).ping_pongs, 1u);
    EXPECT_EQ(usage.by_caller().at(0).ping_pongs, 1u);
  });
}

TEST(SlabUsage, FreesOfOlderAllocationsAreNotCounted) {
  ObjectRecording recording;
  recording.release(0x100);
  objects_of(recording, [](const SlabUsage& usage) {
    EXPECT_EQ(usage.totals().unknown_frees, 1u);
    EXPECT_EQ(usage.totals().freed, 0u);
    EXPECT_TRUE(usage.by_address().empty());
  });
}

TEST(SlabUsage, AReusedAddressFreesItsCurrentSize) {
  ObjectRecording recording;
  recording.allocate(0x100, 24, 32);
  recording.release(0x100);
  recording.allocate(0x100, 100, 128);
  recording.release(0x100);
  objects_of(recording, [](const SlabUsage& usage) {
    EXPECT_EQ(usage.totals().freed, 160u);
    ASSERT_EQ(usage.by_address().size(), 1u);
    EXPECT_EQ(usage.by_address()[0].hits, 2u);
  });
}

TEST(SlabUsage, MemoryOfAnotherNodeIsCrossAllocated) {
  ObjectRecording recording;
  recording.allocate(0x100, 8, 8, 0, 0);
  recording.allocate(0x200, 8, 8, 1, 0);
  recording.allocate(0x300, 8, 8, 0, ~u64{0});  // any node will do
  recording.allocate(0x400, 8, 8, 7, 0);        // an unknown CPU belongs to node 0
  objects_of(recording, [](const SlabUsage& usage) { EXPECT_EQ(usage.totals().cross_allocations, 1u); });
}

TEST(SlabKeys, AreParsedInOrder) {
  using enum SlabKey;
  EXPECT_EQ(*parse_slab_keys("frag,hit"), (std::vector{Fragmentation, Hits}));
  EXPECT_EQ(*parse_slab_keys("callsite,call_site,ptr"), (std::vector{Key, Key, Key}));
  EXPECT_EQ(parse_slab_keys("bytes,nonsense").error().message, "Unknown slab --sort key: 'nonsense'");
  EXPECT_EQ(parse_slab_keys("page").error().kind, ErrorKind::Usage) << "a key of pages only";
}

TEST(PageKeys, AreParsedInOrder) {
  using enum PageKey;
  EXPECT_EQ(*parse_page_keys("migtype,order,gfp"), (std::vector{Kind, Order, Flags}));
  EXPECT_EQ(parse_page_keys("frag").error().hint, "must be one of page, callsite, bytes, hit, order, migtype, gfp");
}

TEST(PageKeys, SortTheLargestFirst) {
  const std::vector<PageRow> rows = {{.key = {.place = 1, .order = 0}, .caller = 9, .hits = 1, .bytes = 10},
                                     {.key = {.place = 2, .order = 3}, .caller = 8, .hits = 2, .bytes = 10},
                                     {.key = {.place = 3, .order = 1}, .caller = 7, .hits = 1, .bytes = 20}};
  const auto first = [&](std::vector<PageKey> keys) { return rows_in_order(rows, keys).front().key.place; };
  EXPECT_EQ(first({PageKey::Order}), 2u);
  EXPECT_EQ(first({PageKey::Bytes}), 3u);
  EXPECT_EQ(first({PageKey::Caller}), 1u);
  EXPECT_EQ(first({PageKey::Hits, PageKey::Bytes}), 2u);
  EXPECT_EQ(first({}), 1u) << "equal rows are in the order of their keys";
}

}  // namespace
}  // namespace peregrine
