#include "output/text/kernel/slab_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/memory/page_usage.h"
#include "output/text/kernel/page_text.h"

namespace peregrine {
namespace {

constexpr std::string_view kMemoryRuler =
    "---------------------------------------------------------------------------------------------------------\n";

std::string slab_rows(const std::vector<SlabRow>& rows, std::optional<std::size_t> lines = {}) {
  Sink out;
  print_slab_rows(
      rows, {.title = "Callsite", .name = [](u64 key) { return fmt::format("site\t{}", key); }, .lines = lines}, out);
  return out.take();
}

std::string slab_titles() {
  return fmt::format(
      "{0} Callsite                           | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n{0}",
      kMemoryRuler);
}

TEST(SlabText, ShowsBytesPerAllocationAndWhatWasWasted) {
  const SlabRow row{.key = 7, .allocated = 4096, .requested = 3072, .hits = 4, .ping_pongs = 1};
  EXPECT_EQ(slab_rows({row}), slab_titles() +
                                  " site\\x097                          |      4096/1024  |      3072/768   |        4 "
                                  "|         1 | 25.000%\n" +
                                  std::string(kMemoryRuler));
}

TEST(SlabText, RowsOfZeroDivideNothing) {
  EXPECT_EQ(slab_rows({SlabRow{}}), slab_titles() +
                                        " site\\x090                          |         0/0     |         0/0     |    "
                                        "    0 |         0 |  0.000%\n" +
                                        std::string(kMemoryRuler));
  EXPECT_EQ(slab_rows({}), slab_titles() + std::string(kMemoryRuler));
}

TEST(SlabText, NamesOutsideAsciiDoNotShiftTheNumbers) {
  Sink out;
  print_slab_rows({SlabRow{}}, {.title = "Callsite", .name = [](u64) { return "größe"; }, .lines = {}}, out);
  EXPECT_EQ(out.take(), slab_titles() +
                            " größe                              |         0/0     |         0/0     |        0 "
                            "|         0 |  0.000%\n" +
                            std::string(kMemoryRuler));
}

TEST(SlabText, SaysThatRowsWereLeftOut) {
  const std::string row =
      " site\\x090                          |         0/0     |         0/0     |        0 |         0 |  0.000%\n";
  const std::string rest =
      " ...                                | ...             | ...             | ...      | ...       | ...   \n";
  EXPECT_EQ(slab_rows({{}, {}}, 1), slab_titles() + row + rest + std::string(kMemoryRuler));
  EXPECT_EQ(slab_rows({{}, {}}, 2), slab_titles() + row + row + std::string(kMemoryRuler)) << "none was";
}

std::string slab_totals(const SlabTotals& totals) {
  Sink out;
  print_slab_totals(totals, out);
  return out.take();
}

TEST(SlabTotals, NetBytesAreShownIfAny) {
  EXPECT_EQ(slab_totals({.requested = 75, .allocated = 100, .freed = 40, .allocations = 5, .cross_allocations = 2}),
            "\nSUMMARY (SLAB allocator)\n========================\n"
            "Total bytes requested: 75\n"
            "Total bytes allocated: 100\n"
            "Total bytes freed:     40\n"
            "Net total bytes allocated: 60\n"
            "Total bytes wasted on internal fragmentation: 25\n"
            "Internal fragmentation: 25.000000%\n"
            "Cross CPU allocations: 2/5\n");
}

TEST(SlabTotals, RecordingsThatMissHalfOfItStayPositive) {
  EXPECT_EQ(slab_totals({.requested = 75, .allocated = 50, .freed = 90}),
            "\nSUMMARY (SLAB allocator)\n========================\n"
            "Total bytes requested: 75\n"
            "Total bytes allocated: 50\n"
            "Total bytes freed:     90\n"
            "Total bytes wasted on internal fragmentation: 0\n"
            "Internal fragmentation: 0.000000%\n"
            "Cross CPU allocations: 0/0\n");
}

std::string page_rows(const std::vector<PageRow>& rows, const PageTable& table) {
  Sink out;
  print_page_rows(rows, nullptr, table, out);
  return out.take();
}

std::string named_site(u64 address) { return address == 0 ? "" : "alloc_\x1b"; }

TEST(PageRows, ByCallSiteSizesAreInKilobytes) {
  const PageRow row{
      .key = {.place = 5, .order = 1, .migrate_type = 1, .flags = 0}, .caller = 5, .hits = 3, .bytes = 24576};
  EXPECT_EQ(page_rows({row}, {.name = named_site}),
            fmt::format("\n{0} Total alloc (KB) | Hits      | Order | Mig.type | GFP flags | Callsite\n{0}"
                        "               24 |         3 |     1 |  MOVABLE | none      | alloc_\\x1b\n{0}",
                        kMemoryRuler));
}

TEST(PageRows, ByPageTheFrameNumberComesFirst) {
  const PageRow row{.key = {.place = 4660, .order = 0, .migrate_type = 1, .flags = 0}, .hits = 1, .bytes = 4096};
  EXPECT_EQ(
      page_rows({row}, {.by_page = true, .live = true, .old_kinds = true, .name = named_site}),
      fmt::format("\n{0} PFN              |  Live alloc (KB) | Hits      | Order | Mig.type | GFP flags | Callsite\n{0}"
                  "             4660 |                4 |         1 |     0 |  RECLAIM | none      | \n{0}",
                  kMemoryRuler))
      << "type 1 was another one before 4.4";
}

TEST(PageRows, UnknownTypesCountAsTheLastAndRowsBeyondTheLimitAsDots) {
  const PageRow row{.key = {.migrate_type = 99}};
  EXPECT_EQ(page_rows({row, row}, {.name = named_site, .lines = 1}),
            fmt::format("\n{0} Total alloc (KB) | Hits      | Order | Mig.type | GFP flags | Callsite\n{0}"
                        "                0 |         0 |     0 | CMA/ISLT | none      | \n"
                        " ...              | ...       | ...   | ...      | ...       | ...\n{0}",
                        kMemoryRuler));
}

TEST(ShortFlags, AreNoneWithoutFlags) { EXPECT_EQ(short_flags(nullptr, 0), "none"); }

TEST(FlagLegend, ListsEachCombinationOnce) {
  const std::vector<PageRow> rows{{.key = {.place = 1}}, {.key = {.place = 2}}};
  Sink out;
  print_flag_legend(rows, nullptr, out);
  EXPECT_EQ(out.take(), "#\n# GFP flags\n# ---------\n# 00000000: none: none\n");
  print_flag_legend({}, nullptr, out);
  EXPECT_EQ(out.take(), "#\n# GFP flags\n# ---------\n");
}

}  // namespace
}  // namespace peregrine
