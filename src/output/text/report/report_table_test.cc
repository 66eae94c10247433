#include "output/text/report/report_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "base/container/string_pool.h"
#include "output/text/report/report_page.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReportWords : public Naming {
 public:
  HistFrame frame(std::string_view dso, std::string_view symbol) {
    return {.dso = words_.intern(dso).value, .symbol = words_.intern(symbol).value};
  }
  u64 comm(std::string_view text) { return words_.intern(text).value; }
  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  SymbolName symbol(u32, u32 id) override { return {words_.view(StringId(id)), id * u64{16}, id * u64{16} + 16}; }
  std::string text(SortKey, u64 value) override { return std::string(words_.view(StringId(static_cast<u32>(value)))); }

 private:
  StringPool words_;
};

struct Report {
  ReportWords words;
  Hists hists{2};
  ColumnRequest columns = {};
  TableText style = {};
  ChainOrder order = ChainOrder::Callee;

  // A chain of functions of "prog", outermost first.
  void add(std::string_view comm, const std::vector<std::string_view>& chain, u64 period) {
    const u64 values[] = {0, words.comm(comm)};
    std::vector<HistFrameId> frames;
    for (const std::string_view each : chain) frames.push_back(hists.frames().intern(words.frame("prog", each)));
    hists.add({.group = hists.groups().intern(values),
               .leaf = frames.back(),
               .chain = hists.chains().insert(frames),
               .period = period});
    EventTotals& totals = hists.totals(0);
    totals.period += period;
    totals.chain_period += period;
  }
  std::string print() {
    const FaceTable faces(hists.frames(), words, {.dso = true, .symbol = true});
    const RowTable table(hists, faces, words,
                         {.columns = *parse_columns(columns),
                          .children = columns.children,
                          .with_chains = style.graphs,
                          .chain_order = order});
    Sink out;
    print_table(out, table, style);
    return out.take();
  }
};

Report three_callers() {
  Report report;
  report.style.graphs = true;
  report.add("load", {"main", "work", "leaf"}, 600);
  report.add("load", {"main", "idle", "leaf"}, 300);
  report.add("load", {"main", "work"}, 100);
  return report;
}

TEST(ReportTable, ColumnsAreAsWideAsTheirRows) {
  Report report = three_callers();
  report.style.graphs = false;
  EXPECT_EQ(report.print(),
            "# Overhead  Command  Shared Object  Symbol  \n"
            "# ........  .......  .............  ........\n"
            "#\n"
            "    90.00%  load     prog           [.] leaf\n"
            "    10.00%  load     prog           [.] work\n");
}

TEST(ReportTable, ASeparatorReplacesTheRules) {
  Report report = three_callers();
  report.style.graphs = false;
  report.style.separator = ",";
  report.columns.show_samples = true;
  EXPECT_EQ(report.print(),
            "# Overhead,     Samples,Command,Shared Object,Symbol  \n"
            " 90.00% , 2          ,load   ,prog         ,[.] leaf\n"
            " 10.00% , 1          ,load   ,prog         ,[.] work\n");
}

TEST(ReportTable, ColorsPercentages) {
  Report report = three_callers();
  report.add("load", {"main"}, 6);
  report.add("load", {"rare"}, 1);
  report.style.colors = true;
  report.style.graph.least_percent = 50;
  const std::string text = report.print();
  EXPECT_THAT(text, HasSubstr("\n  \x1b[31m  89.37%\x1b[m  load     prog           [.] leaf\n"));
  EXPECT_THAT(text, HasSubstr("--\x1b[31m59.58%\x1b[m--work\n"));
  EXPECT_THAT(text, HasSubstr("\n  \x1b[32m   0.60%\x1b[m  load     prog           [.] main\n"));
  EXPECT_THAT(text, HasSubstr("\n     0.10%  load     prog           [.] rare\n"));
  report.style.separator = ",";
  EXPECT_THAT(report.print(), Not(HasSubstr("\x1b")));
}

TEST(ReportTable, ABranchCarriesItsShare) {
  Report report = three_callers();
  report.style.least_percent = 50;
  EXPECT_THAT(report.print(), HasSubstr("    90.00%  load     prog           [.] leaf\n"
                                        "            |\n"
                                        "            ---leaf\n"
                                        "               |          \n"
                                        "               |--60.00%--work\n"
                                        "               |          main\n"
                                        "               |          \n"
                                        "                --30.00%--idle\n"
                                        "                          main\n"
                                        "\n"));
}

TEST(ReportTable, FractalSharesAreOfTheBranchAndWhatIsCutIsSummed) {
  Report report = three_callers();
  report.style.graph.mode = GraphMode::Fractal;
  report.style.graph.least_percent = 50;
  const std::string text = report.print();
  EXPECT_THAT(text, HasSubstr("--66.67%--work\n"));
  EXPECT_THAT(text, HasSubstr("--33.33%--[...]\n"));
  EXPECT_THAT(text, Not(HasSubstr("idle")));
}

TEST(ReportTable, FoldedChainsAreOneLineEach) {
  Report report = three_callers();
  report.style.graph.mode = GraphMode::Folded;
  EXPECT_THAT(report.print(), HasSubstr("[.] leaf\n60.00% leaf;work;main\n30.00% leaf;idle;main\n"));
}

TEST(ReportTable, ChildrenShowWhatTheyCalled) {
  Report report = three_callers();
  report.columns.children = true;
  report.order = ChainOrder::Caller;
  EXPECT_THAT(report.print(), HasSubstr("   100.00%     0.00%  load     prog           [.] main\n"
                                        "            |\n"
                                        "            ---main\n"
                                        "               |          \n"
                                        "               |--70.00%--work\n"
                                        "               |          |          \n"
                                        "               |           --60.00%--leaf\n"
                                        "               |          \n"
                                        "                --30.00%--idle\n"
                                        "                          leaf\n"));
}

TEST(ReportTable, NamesCannotCommandTheTerminal) {
  Report report;
  report.style.graphs = true;
  report.add("\x1b]0;owned\a", {"main\x1b[31m", "leaf\r\n"}, 1);
  const std::string text = report.print();
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("\\x1b]0;owned\\x07"));
  EXPECT_THAT(text, HasSubstr("main\\x1b[31m"));
}

TEST(ReportPage, CountsAreShortened) {
  EXPECT_EQ(short_count(838), "838 ");
  EXPECT_EQ(short_count(19963), "19K");
  EXPECT_EQ(short_count(2486239), "2M");
}

TEST(ReportPage, StatsAreCountedByType) {
  Sink out;
  std::vector<u64> records(70);
  records[9] = 3;
  records[68] = 1;
  print_stats(out, records, std::vector<EventCounts>{{.name = "cycles", .samples = 3}});
  EXPECT_EQ(out.text(),
            "\nAggregated stats:\n"
            "           TOTAL events:          4\n"
            "          SAMPLE events:          3  (75.0%)\n"
            "  FINISHED_ROUND events:          1  (25.0%)\n"
            "cycles stats:\n"
            "          SAMPLE events:          3\n");
  Sink traced;
  print_stats(traced, records, {}, true);
  EXPECT_THAT(traced.text(), ::testing::StartsWith("\nAggregated stats: (excludes AUX area"));
}

}  // namespace
}  // namespace peregrine
