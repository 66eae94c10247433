#include "output/text/diff/diff_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <utility>

#include "analysis/diff/change.h"
#include "analysis/diff/test_recording.h"
#include "analysis/hist/row/row_table.h"

namespace peregrine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// "parse" went from 50 to 30 samples of 100, "gone" from 10 to 0; "fresh" went from 0 to 30.
class DiffTable : public ::testing::Test {
 protected:
  DiffTable() {
    was.add("parse", 50);
    was.add("gone", 10);
    was.add("same", 40);
    is.add("parse", 30);
    is.add("same", 40);
    is.add("fresh", 30);
  }
  std::string print() { return print({&was.table(), &is.table()}); }
  std::string print(std::vector<const RowTable*> sides) {
    Sink out;
    print_diff(out, Comparison(std::move(sides), request), style);
    return out.take();
  }
  // A row of the default columns.
  static std::string row(std::string_view baseline, std::string_view change, std::string_view symbol) {
    return fmt::format("  {:>8}  {:>9}  {:<13}  [.] {}\n", baseline, change, "app", symbol);
  }
  // The cells of a function's row.
  std::vector<std::string> words(std::string_view symbol) {
    const std::string text = print();
    const std::size_t end = text.find(fmt::format("[.] {}\n", symbol));
    if (end == std::string::npos) return {"no such row"};
    const std::size_t begin = text.rfind('\n', end) + 1;
    std::istringstream in(text.substr(begin, end - begin));
    return {std::istream_iterator<std::string>(in), {}};
  }

  DiffedRecording was{"was"}, is{"another"};
  ComparisonRequest request;
  DiffText style;
};

TEST_F(DiffTable, HasTheSharesOfTheBaselineAndTheirChanges) {
  EXPECT_EQ(print(),
            "# Baseline  Delta Abs  Shared Object  Symbol   \n"
            "# ........  .........  .............  .........\n#\n" +
                row("", "+30.00%", "fresh") + row("50.00%", "-20.00%", "parse") + row("40.00%", "+0.00%", "same") +
                row("10.00%", "", "gone"));
  style.titles = false;
  EXPECT_THAT(print(), StartsWith(row("", "+30.00%", "fresh")));
}

TEST_F(DiffTable, RatiosNeedABaseline) {
  request.rule.kind = ChangeKind::Ratio;
  EXPECT_THAT(print(), StartsWith("# Baseline           Ratio  Shared Object"));
  EXPECT_THAT(words("parse"), ElementsAre("50.00%", "0.600000", "app"));
  EXPECT_THAT(words("fresh"), ElementsAre("N/A", "app"));
  EXPECT_THAT(words("gone"), ElementsAre("10.00%", "app"));
}

TEST_F(DiffTable, WeightedDifferencesAreOfPeriods) {
  request.rule = {.kind = ChangeKind::Weighted, .old_weight = 1, .new_weight = 2};
  style.formula = true;
  EXPECT_THAT(words("parse"),
              ElementsAre("50.00%", "100", "(300", "*", "2)", "-", "(500", "*", "1)", "app"));  // 2 × 300 - 500
  EXPECT_THAT(print(), HasSubstr("Weighted diff"));
}

TEST_F(DiffTable, FormulasAndPeriodsAreShownOnRequest) {
  style.formula = style.periods = true;
  EXPECT_THAT(words("parse"), ElementsAre("50.00%", "500", "-20.00%", "(300", "*", "100", "/", "1000)", "-", "(500",
                                          "*", "100", "/", "1000)", "300", "app"));
  EXPECT_THAT(words("fresh"), ElementsAre("0", "+30.00%", "(300", "*", "100", "/", "1000)", "-", "(0", "*", "100", "/",
                                          "1000)", "300", "app"));
  EXPECT_THAT(words("gone"), ElementsAre("10.00%", "100", "app")) << "the other file lacks it";
  request.rule.kind = ChangeKind::Ratio;
  style.periods = false;
  EXPECT_THAT(words("parse"), ElementsAre("50.00%", "0.600000", "300", "/", "500", "app"));
}

TEST_F(DiffTable, IntervalsSayWhetherAChangeIsReal) {
  style.intervals = true;
  EXPECT_THAT(print(), StartsWith("# Baseline  Delta Abs     95% Interval  Real  Shared Object"));
  const auto same = words("same"), fresh = words("fresh");
  ASSERT_EQ(same.size(), 5u);
  EXPECT_THAT(same[2], AllOf(StartsWith("-"), HasSubstr("..+"))) << "no change is within the interval";
  EXPECT_EQ(same[3], "no");
  EXPECT_EQ(fresh.at(2), "yes");
  const auto gone = words("gone");
  ASSERT_EQ(gone.size(), 4u) << "a function that is gone has an interval instead of a change";
  EXPECT_EQ(gone[2], "yes");
}

TEST_F(DiffTable, SeveralFilesAreNumbered) {
  DiffedRecording third("third");
  third.add("same", 10);
  const std::string text = print({&was.table(), &is.table(), &third.table()});
  EXPECT_THAT(text, StartsWith("# Baseline/0  Delta Abs/1  Delta Abs/2  Shared Object"));
  EXPECT_THAT(text, HasSubstr("      40.00%       +0.00%      +60.00%  app"));
}

TEST_F(DiffTable, AFileWithoutTheEventHasNoRows) {
  EXPECT_THAT(print({&was.table(), nullptr}), HasSubstr(row("50.00%", "", "parse")));
  EXPECT_THAT(print({nullptr, &is.table()}), HasSubstr(row("", "+30.00%", "parse")));
}

TEST_F(DiffTable, HiddenKeysHaveNoColumn) {
  style.hidden = {was.table().request().columns.keys[0]};
  EXPECT_THAT(print(), StartsWith("# Baseline  Delta Abs  Symbol   \n"));
  EXPECT_THAT(print(), Not(HasSubstr("app")));
}

TEST_F(DiffTable, ASeparatorInANameBecomesADot) {
  is.add("operator,", 900);
  style.separator = ",";
  const std::string text = print();
  EXPECT_THAT(text, StartsWith("# Baseline,Delta Abs,Shared Object,Symbol"));
  EXPECT_THAT(text, HasSubstr("[.] operator."));
  for (std::istringstream in(text); !in.eof();) {
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(std::ranges::count(line, ','), line.empty() ? 0 : 3) << line;
  }
}

TEST_F(DiffTable, NamesCannotCommandTheTerminal) {
  is.add("\x1b[2J", 1, "/lib\x1b");
  EXPECT_THAT(print(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(print(), AllOf(HasSubstr("[.] \\x1b[2J\n"), HasSubstr("/lib\\x1b ")));
}

TEST_F(DiffTable, EmptyRecordingsHaveOnlyTitles) {
  DiffedRecording empty("empty"), other("other");
  EXPECT_EQ(print({&empty.table(), &other.table()}),
            "# Baseline  Delta Abs  Shared Object  Symbol\n"
            "# ........  .........  .............  ......\n#\n");
}

TEST(DiffHeading, NamesTheEventAndTheFiles) {
  const auto heading = [](const std::vector<std::string>& files) {
    Sink out;
    print_diff_heading(out, "cycles\x1b:u", files);
    return out.take();
  };
  EXPECT_EQ(heading({}), "# Event 'cycles\\x1b:u'\n#\n");
  EXPECT_EQ(heading({"old.data", "new.data"}),
            "# Event 'cycles\\x1b:u'\n#\n# Data files:\n#  [0] old.data (Baseline)\n#  [1] new.data \n#\n");
}

}  // namespace
}  // namespace peregrine
