#include "output/text/report/report_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/diff/test_recording.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "output/text/report/report_table.h"

namespace peregrine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// 60 samples of "parse" and 30 of "work" in "app", 10 of "copy" in "lib".
class HierarchyText : public ::testing::Test {
 protected:
  HierarchyText() {
    recording.add("parse", 60);
    recording.add("work", 30);
    recording.add("copy", 10, "lib");
  }
  std::string print(bool one_level = false) {
    const RowTable& table = recording.table();
    const std::vector<SortKey>& keys = table.request().columns.keys;
    std::vector<std::vector<SortKey>> levels = {keys};
    if (!one_level) levels = {{keys[0]}, {keys[1]}};
    const RowTree tree(table, std::move(levels));
    Sink out;
    print_tree(out, tree, style);
    return out.take();
  }
  DiffedRecording recording{"first"};
  TableText style;
};

TEST_F(HierarchyText, HasALevelPerKeyWithSumsAboveTheirParts) {
  EXPECT_EQ(print(),
            "#    Overhead  Shared Object / Symbol\n"
            "# ...........  ......................\n#\n"
            "    90.00%     app          \n"
            "       60.00%     [.] parse\n"
            "       30.00%     [.] work\n"
            "    10.00%     lib          \n"
            "       10.00%     [.] copy\n");
}

TEST_F(HierarchyText, KeysInBracesShareALevel) {
  EXPECT_EQ(print(true),
            "# Overhead  Shared Object+Symbol\n"
            "# ........  ........................\n#\n"
            "    60.00%  app            [.] parse\n"
            "    30.00%  app            [.] work\n"
            "    10.00%  lib            [.] copy\n");
}

TEST_F(HierarchyText, SaysWhatThePercentLimitHides) {
  style.least_percent = 70;
  EXPECT_THAT(print(), EndsWith("#\n    90.00%     app          \n" + std::string(18, ' ') + "no entry >= 70.00%\n"));
  style.least_percent = 50;
  EXPECT_THAT(print(), EndsWith("    90.00%     app          \n       60.00%     [.] parse\n"));
}

TEST_F(HierarchyText, AFilterOfSymbolsKeepsTheirParents) {
  style.symbol_filter = "cop";
  EXPECT_THAT(print(), EndsWith("#\n    10.00%     lib          \n       10.00%     [.] copy\n"));
  style.symbol_filter = "none";
  EXPECT_THAT(print(), EndsWith("..\n#\n"));
}

TEST_F(HierarchyText, TitlesMayBeLeftOut) {
  style.titles = false;
  EXPECT_THAT(print(), StartsWith("    90.00%     app"));
}

TEST_F(HierarchyText, NamesCannotCommandTheTerminal) {
  recording.add("\x1b[2J", 50, "lib\x1b");
  EXPECT_THAT(print(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(print(), HasSubstr("[.] \\x1b[2J\n"));
}

TEST_F(HierarchyText, AnEmptyReportHasTitlesOnly) {
  DiffedRecording empty("empty");
  const RowTable& table = empty.table();
  const RowTree tree(table, {table.request().columns.keys});
  Sink out;
  print_tree(out, tree, style);
  EXPECT_THAT(out.take(), EndsWith("\n#\n"));
}

}  // namespace
}  // namespace peregrine
