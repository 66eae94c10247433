#include "output/text/kernel/memory_tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/text/kernel/page_text.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using support::ReplayedRecording;
using support::TracepointRecording;
using ::testing::HasSubstr;
using ::testing::Not;

// Two pages are allocated, and one of them is freed; another page is freed without a recorded allocation.
TracepointRecording page_recording() {
  TracepointRecording recording;
  recording.event("kmem:mm_page_alloc", {"pfn", "order", "gfp_flags", "migratetype"},
                  "\"%s\", __print_flags(REC->gfp_flags, \"|\", {0xcc0UL, \"GFP_KERNEL\"}, {0x100UL, \"__GFP_ZERO\"}, "
                  "{0x200UL, \"__GFP_NEW\"})");
  recording.event("kmem:mm_page_free", {"pfn", "order"});
  recording.hit("kmem:mm_page_alloc", {.time = 1}, {100, 0, 0xcc0, 1});
  recording.hit("kmem:mm_page_alloc", {.time = 2}, {200, 3, 0xcc0 | 0x100, 0});
  recording.hit("kmem:mm_page_free", {.time = 3}, {100, 0});
  recording.hit("kmem:mm_page_free", {.time = 4}, {999, 0});
  return recording;
}

class PageTables : public ::testing::Test {
 protected:
  std::string print(bool old_kinds = false) {
    ReplayedRecording replayed(page_recording());
    PageUsage usage(replayed.reader(), tables.live);
    replayed.run(usage);
    Sink out;
    print_page_tables(usage, tables, {old_kinds, [](u64) { return "alloc_\x1b[31m"; }}, out);
    return out.take();
  }
  MemoryTables tables;
};

TEST_F(PageTables, WithoutTablesOnlyTheTotalsAreShown) {
  const std::string text = print();
  EXPECT_TRUE(text.starts_with("\nSUMMARY (page allocator)\n========================\n")) << text;
  EXPECT_THAT(text, HasSubstr("Total allocation requests     :                2   [               36 KB ]\n"
                              "Total free requests           :                2   [                8 KB ]\n\n"
                              "Total alloc+freed requests    :                1   [                4 KB ]\n"
                              "Total alloc-only requests     :                1   [               32 KB ]\n"
                              "Total free-only requests      :                1   [                4 KB ]\n\n"
                              "Total allocation failures     :                0   [                0 KB ]\n"));
}

TEST_F(PageTables, OrdersAreCountedByMigrateType) {
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("\nOrder     Unmovable       Movable   Reclaimable    HighAtomic  CMA/Isolated\n"));
  EXPECT_THAT(text, HasSubstr("\n    0             .             1             .             .             .\n"));
  EXPECT_THAT(text, HasSubstr("\n    3             1             .             .             .             .\n"));
  EXPECT_THAT(text, HasSubstr("\n   10             .")) << "up to the largest usual order";
  EXPECT_THAT(print(true), HasSubstr("Order     Unmovable   Reclaimable       Movable      Reserved  CMA/"))
      << "before 4.4";
}

TEST_F(PageTables, PagesAreSortedBySizeAndNamesAreSafeToShow) {
  tables.given.shown = true;
  const std::string text = print();
  const std::size_t large = text.find("|               32 |         1 |     3 | UNMOVABL | K|Z"),
                    small = text.find("|                4 |         1 |     0 |  MOVABLE | K ");
  ASSERT_NE(large, std::string::npos) << text;
  ASSERT_NE(small, std::string::npos) << text;
  EXPECT_LT(large, small);
  EXPECT_THAT(text, HasSubstr("alloc_\\x1b[31m"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST_F(PageTables, FlagsAreExplainedAboveTheTables) {
  EXPECT_THAT(print(), Not(HasSubstr("# GFP flags")));
  tables.callers.shown = true;
  EXPECT_THAT(print(), HasSubstr("# GFP flags\n# ---------\n"
                                 "# 00000cc0:   K: GFP_KERNEL\n"
                                 "# 00000dc0: K|Z: GFP_KERNEL|__GFP_ZERO\n"));
}

TEST_F(PageTables, LivePagesAreThoseThatWereNotFreed) {
  tables.given.shown = tables.live = true;
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("Live alloc (KB)"));
  EXPECT_THAT(text, HasSubstr("\n              200 |"));
  EXPECT_THAT(text, Not(HasSubstr("\n              100 |")));
}

TEST_F(PageTables, LinesAreLimitedByTable) {
  tables.given.shown = true;
  tables.given.lines = 1;
  const std::string text = print();
  EXPECT_THAT(text, HasSubstr("\n ...              | ...  "));
  EXPECT_THAT(text, Not(HasSubstr("MOVABLE | K ")));
}

TEST(NamedFlags, UnknownNamesLoseTheirPrefixOnly) {
  ReplayedRecording replayed(page_recording());
  PageUsage usage(replayed.reader(), false);
  replayed.run(usage);
  ASSERT_NE(usage.flag_names(), nullptr);
  EXPECT_EQ(short_flags(usage.flag_names(), 0xcc0 | 0x200), "K|NEW");
  EXPECT_EQ(short_flags(usage.flag_names(), 0xcc0 | 0x8000), "K|0x8000");
}

TEST(SlabTables, AreShownInTheRequestedOrder) {
  TracepointRecording recording;
  recording.event("kmem:kmalloc", {"call_site", "ptr", "bytes_req", "bytes_alloc", "gfp_flags"});
  recording.event("kmem:kfree", {"call_site", "ptr"});
  recording.hit("kmem:kmalloc", {.time = 1}, {0x1000, 0xa000, 60, 64, 0});
  recording.hit("kmem:kmalloc", {.time = 2}, {0x2000, 0xb000, 1000, 1024, 0});
  recording.hit("kmem:kfree", {.time = 3}, {0x1000, 0xa000});
  ReplayedRecording replayed(recording);
  SlabUsage usage(replayed.reader(), {});
  replayed.run(usage);
  const auto print = [&](const MemoryTables& tables) {
    Sink out;
    print_slab_tables(usage, tables, {false, [](u64 code) { return fmt::format("site{:x}", code); }}, out);
    return out.take();
  };
  const std::string totals = print({});
  EXPECT_THAT(totals, Not(HasSubstr("Callsite")));
  MemoryTables tables;
  tables.callers = {.shown = true, .lines = {}, .slab = {SlabKey::Bytes}};
  tables.given = {.shown = true, .lines = 1, .slab = {SlabKey::Bytes}};
  const std::string text = print(tables);
  EXPECT_LT(text.find("site2000"), text.find("site1000"));
  EXPECT_LT(text.find("site1000"), text.find("0xb000")) << "call sites first, then addresses";
  EXPECT_THAT(text, Not(HasSubstr("0xa000"))) << "limited to one line";
  EXPECT_TRUE(text.ends_with(totals));
}

}  // namespace
}  // namespace peregrine
