#include "output/text/format/text_table.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TextTable locks() {
  return TextTable({{.title = "Lock", .width = 6, .align = Align::Left, .before = ""}, {.title = "Hits", .width = 5}});
}

TEST(TextTable, AlignsTitlesRulerAndCells) {
  Sink out;
  const TextTable table = locks();
  table.titles(out);
  table.ruler(out, '-');
  table.row(out, {"rq", "17"});
  EXPECT_EQ(out.take(),
            "Lock     Hits\n"
            "------  -----\n"
            "rq         17\n");
}

TEST(TextTable, CountsColumnsInsteadOfBytes) {
  Sink out;
  const TextTable table = locks();
  table.row(out, {"größe", "1"});
  table.row(out, {"grosse", "1"});
  EXPECT_EQ(out.take(),
            "größe       1\n"
            "grosse      1\n");
}

TEST(TextTable, LongCellsShiftTheirRowUnlessTheColumnIsFitted) {
  Sink out;
  TextTable table = locks();
  table.row(out, {"rq_lock_of_cpu", "1"});
  table.fit(0, "rq_lock_of_cpu");
  table.fit(0, "rq");  // columns never become narrower
  table.row(out, {"rq", "1"});
  EXPECT_EQ(out.take(),
            "rq_lock_of_cpu      1\n"
            "rq                  1\n");
}

TEST(TextTable, FewerCellsEndTheRowEarly) {
  Sink out;
  locks().row(out, {"rq"});
  EXPECT_EQ(out.take(), "rq    \n");
}

TEST(TextTable, ContinuedRowsStartInAnyColumn) {
  Sink out;
  const TextTable table = locks();
  table.cells(out, {"rq"});
  out.append(" !");
  table.cells(out, {"17"}, 1);
  EXPECT_EQ(out.take(), "rq     !     17");
}

TEST(TextTable, TheMarkReplacesTheStartOfHeadingLines) {
  Sink out;
  const TextTable table({{.title = "Num", .width = 7, .before = ""}, {.title = "Hits", .width = 5}});
  table.titles(out, "#");
  table.ruler(out, '.', "# ");
  table.row(out, {"3", "17"});
  EXPECT_EQ(out.take(),
            "#   Num   Hits\n"
            "# .....  .....\n"
            "      3     17\n");
}

TEST(TextTable, GroupsSpanColumns) {
  Sink out;
  const TextTable table({{.title = "Num", .width = 3, .before = ""},
                         {.title = "Rmt", .width = 7, .group = "----- HITM -----", .spans = 2},
                         {.title = "Lcl", .width = 7, .spans = 0},
                         {.title = "cnt", .width = 4, .group = "cpu"}});
  table.titles(out);
  EXPECT_EQ(out.take(),
            "     ----- HITM -----   cpu\n"
            "Num      Rmt      Lcl   cnt\n");
}

TEST(TextTable, RaggedCellsHaveNoBlanksAfterThem) {
  Sink out;
  const TextTable table({{.title = "Symbol",
                          .width = 9,
                          .align = Align::Left,
                          .before = "",
                          .title_align = Align::Right,
                          .ragged = true}});
  table.titles(out);
  table.row(out, {"main"});
  EXPECT_EQ(out.take(), "   Symbol\nmain\n");
}

TEST(TextTable, HeadingsHaveRulersOfTheirLength) {
  Sink out;
  append_underlined(out, "flags", '-', "# ");
  append_boxed(out, "Größe", '=');
  append_ruler(out, '-', 3, " ");
  EXPECT_EQ(out.take(), "# flags\n# -----\n=====\nGröße\n=====\n ---\n");
}

}  // namespace
}  // namespace peregrine
