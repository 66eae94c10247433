#include "analysis/memory/page_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::ElementsAre;

class PageRecording : public TracepointRecording {
 public:
  PageRecording() {
    event("kmem:mm_page_alloc", {"pfn", "order", "gfp_flags", "migratetype"});
    event("kmem:mm_page_free", {"pfn", "order"});
  }
  void allocate(u64 page, u64 order = 0, u64 type = 0, u64 flags = 0) {
    hit("kmem:mm_page_alloc", {.time = ++time_}, {page, order, flags, type});
  }
  void release(u64 page, u64 order = 0) { hit("kmem:mm_page_free", {.time = ++time_}, {page, order}); }

 private:
  u64 time_ = 0;
};

template <class Look>
void pages_of(const TracepointRecording& recording, bool live, const Look& look) {
  ReplayedRecording replayed(recording);
  PageUsage usage(replayed.reader(), live);
  replayed.run(usage);
  look(usage);
}

TEST(PageUsage, AnAllocationHasAPowerOfTwoOfPages) {
  PageRecording recording;
  recording.allocate(100, 0);
  recording.allocate(200, 3);
  pages_of(recording, false, [](const PageUsage& usage) {
    EXPECT_EQ(usage.totals().allocated.count, 2u);
    EXPECT_EQ(usage.totals().allocated.bytes, 4096u * 9);
    const auto pages = usage.by_page();
    ASSERT_EQ(pages.size(), 2u);
    EXPECT_EQ(pages[1].key.place, 200u);
    EXPECT_EQ(pages[1].bytes, 4096u * 8);
  });
}

TEST(PageUsage, SeparatesRowsByOrderKindAndFlags) {
  PageRecording recording;
  recording.allocate(100, 0, 0, 0);
  recording.allocate(100, 1, 0, 0);
  recording.allocate(100, 1, 2, 0);
  recording.allocate(100, 1, 2, 8);
  recording.allocate(100, 1, 2, 8);
  pages_of(recording, false, [](const PageUsage& usage) {
    std::vector<u64> hits;
    for (const PageRow& row : usage.by_page()) hits.push_back(row.hits);
    EXPECT_THAT(hits, ElementsAre(1u, 1u, 1u, 2u));
    EXPECT_THAT(usage.orders().at(1), ElementsAre(1u, 0u, 3u, 0u, 0u));
  });
}

TEST(PageUsage, UnknownKindsCountAsTheLast) {
  PageRecording recording;
  recording.allocate(100, 0, 4);
  recording.allocate(200, 0, 77);
  pages_of(recording, false,
           [](const PageUsage& usage) { EXPECT_THAT(usage.orders().at(0), ElementsAre(0u, 0u, 0u, 0u, 2u)); });
}

TEST(PageUsage, LivePagesAreThoseThatWereNotFreed) {
  PageRecording recording;
  recording.allocate(100);
  recording.allocate(200);
  recording.release(100);
  pages_of(recording, true, [](const PageUsage& usage) {
    const auto pages = usage.by_page();
    ASSERT_EQ(pages.size(), 1u);
    EXPECT_EQ(pages[0].key.place, 200u);
    EXPECT_THAT(usage.orders().at(0), ElementsAre(1u, 0u, 0u, 0u, 0u));
    EXPECT_EQ(usage.totals().freed_here(), 1u);
    EXPECT_EQ(usage.totals().bytes_freed_here(), 4096u);
  });
  pages_of(recording, false, [](const PageUsage& usage) { EXPECT_EQ(usage.by_page().size(), 2u); });
}

TEST(PageUsage, ALivePageThatIsAllocatedAgainWasFreedUnseen) {
  PageRecording recording;
  recording.allocate(100, 0);
  recording.allocate(100, 2);
  pages_of(recording, true, [](const PageUsage& usage) {
    const auto pages = usage.by_page();
    ASSERT_EQ(pages.size(), 1u);
    EXPECT_EQ(pages[0].key.order, 2u);
    EXPECT_EQ(pages[0].bytes, 4096u * 4);
  });
}

TEST(PageUsage, FreesOfUnknownPagesAreCountedApart) {
  PageRecording recording;
  recording.release(100);
  recording.allocate(200, 1);
  recording.release(200, 0);  // only part of it
  pages_of(recording, true, [](const PageUsage& usage) {
    EXPECT_EQ(usage.totals().freed.count, 2u);
    EXPECT_EQ(usage.totals().unknown_frees.count, 2u);
    EXPECT_EQ(usage.totals().freed_here(), 0u);
    EXPECT_EQ(usage.by_page().size(), 1u) << "the page is still live";
  });
}

TEST(PageUsage, FailedAllocationsHaveNoPage) {
  PageRecording recording;
  recording.allocate(~u64{0}, 9);
  pages_of(recording, false, [](const PageUsage& usage) {
    EXPECT_EQ(usage.totals().failed.count, 1u);
    EXPECT_EQ(usage.totals().failed.bytes, u64{4096} << 9);
    EXPECT_TRUE(usage.by_page().empty());
  });
}

TEST(PageUsage, ImpossibleOrdersAreOnlyCounted) {
  PageRecording recording;
  recording.allocate(100, PageUsage::kLargestOrder);
  recording.allocate(200, PageUsage::kLargestOrder + 1);
  recording.allocate(300, ~u64{0});
  recording.release(100, 64);
  pages_of(recording, false, [](const PageUsage& usage) {
    EXPECT_EQ(usage.unreadable(), 3u);
    EXPECT_EQ(usage.totals().allocated.count, 1u);
    EXPECT_EQ(usage.totals().freed.count, 0u);
    EXPECT_EQ(usage.orders().size(), 1u);
  });
}

}  // namespace
}  // namespace peregrine
