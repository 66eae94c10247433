#include "output/csv/safe_cells.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

std::string safe(std::string_view line, const CellStyle& style = {.quoted = true}) {
  std::string out;
  append_safe_cells(line, style, out);
  return out;
}

TEST(SafeCells, PutsAnApostropheBeforeFormulas) {
  EXPECT_EQ(safe("main,=1+1,+x,-x,@SUM(A1)"), "main,'=1+1,'+x,'-x,'@SUM(A1)");
  EXPECT_EQ(safe("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(safe("a,\t=1"), "a,'\t=1");
  EXPECT_EQ(safe("a, =1"), "a,' =1");
  EXPECT_EQ(safe("a,-"), "a,'-");
}

TEST(SafeCells, LeavesNumbersAndOtherTexts) {
  for (const char* line : {"-1,+2.5,-3e-9,+12.34%, -7 ,1", "operator=,a+b,x@plt", ",,", "", "0x401004,-0.5"})
    EXPECT_EQ(safe(line), line);
  EXPECT_EQ(safe("-1+2"), "'-1+2");
  EXPECT_EQ(safe("-1e"), "'-1e");
  EXPECT_EQ(safe("+"), "'+");
}

TEST(SafeCells, LooksIntoQuotes) {
  EXPECT_EQ(safe("a,\"=f(1,2)\",b"), "a,\"'=f(1,2)\",b");
  EXPECT_EQ(safe("\"a\"\"b,=c\",=d"), "\"a\"\"b,=c\",'=d");
  EXPECT_EQ(safe("\"operator,\",\"-5\""), "\"operator,\",\"'-5\"");
  EXPECT_EQ(safe("\"=open"), "\"'=open");
}

TEST(SafeCells, TakesOtherSeparatorsWithoutQuotes) {
  EXPECT_EQ(safe("a;=b;\"=c", {.separator = ";"}), "a;'=b;'\"=c");
  EXPECT_EQ(safe("1\t=b", {.separator = "\t"}), "1\t'=b");
  EXPECT_EQ(safe("a::=b::-1", {.separator = "::"}), "a::'=b::-1");
}

TEST(SafeCells, TakesALineWithoutSeparatorForOneCell) {
  EXPECT_EQ(safe("=1,=2", {.separator = ""}), "'=1,=2");
  EXPECT_EQ(safe("a,=2", {.separator = ""}), "a,=2");
}

TEST(SafeCells, KeepsTheEndsOfLines) {
  EXPECT_EQ(safe_lines("=1,a\n\nb,=c\n", {}), "'=1,a\n\nb,'=c\n");
  EXPECT_EQ(safe_lines("a\n=1", {}), "a\n'=1");
  EXPECT_EQ(safe_lines("", {}), "");
}

}  // namespace
}  // namespace peregrine
