#include "analysis/hist/key/columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A layout as text: metrics and keys by name, tracepoint fields as "field N".
std::string column_text(const Column& column) {
  if (column.is_metric) return std::string(spec_of(column.metric).name);
  return is_dynamic(column.key) ? fmt::format("field {}", dynamic_index(column.key)) : std::string(column.key->name);
}
std::vector<std::string> column_texts(const std::vector<Column>& columns) {
  std::vector<std::string> texts;
  std::ranges::transform(columns, std::back_inserter(texts), column_text);
  return texts;
}
std::string level_texts(const Columns& columns) {
  std::string text;
  for (const std::vector<SortKey>& level : columns.levels) {
    text += text.empty() ? "" : " > ";
    for (std::size_t at = 0; at < level.size(); ++at) text += fmt::format("{}{}", at == 0 ? "" : "+", level[at]->name);
  }
  return text;
}

Columns sorted_by(std::string_view sort) {
  const auto columns = parse_columns({.sort = std::string(sort)});
  EXPECT_TRUE(columns) << sort;
  return columns ? *columns : Columns();
}

TEST(ColumnLists, ShowTheSumsThenTheKeys) {
  const Columns columns = *parse_columns({});
  EXPECT_THAT(column_texts(columns.shown), ElementsAre("overhead", "comm", "dso", "symbol"));
  EXPECT_THAT(column_texts(columns.order), ElementsAre("overhead", "comm", "dso", "symbol"));
  EXPECT_EQ(columns.keys, (std::vector<SortKey>{SortKey::Comm, SortKey::Dso, SortKey::Symbol}));
}

TEST(ColumnLists, OptionsAddColumnsInAFixedOrder) {
  const Columns columns = *parse_columns({.sort = "cpu",
                                          .children = true,
                                          .latency = true,
                                          .show_samples = true,
                                          .show_period = true,
                                          .show_cpu_utilization = true});
  EXPECT_THAT(column_texts(columns.shown), ElementsAre("latency", "overhead_children", "overhead", "overhead_sys",
                                                       "overhead_us", "sample", "period", "cpu"));
  EXPECT_THAT(column_texts(columns.order), ElementsAre("latency", "overhead_children", "overhead", "cpu",
                                                       "overhead_sys", "overhead_us", "sample", "period"))
      << "rows are ordered by their sums and keys; what is only shown breaks ties";
}

TEST(ColumnLists, APlusExtendsTheDefault) {
  EXPECT_THAT(column_texts(parse_columns({.sort = "+cpu", .default_sort = "comm"})->shown),
              ElementsAre("overhead", "comm", "cpu"));
  EXPECT_THAT(column_texts(parse_columns({.sort = "+", .default_sort = "comm"})->shown),
              ElementsAre("overhead", "comm"));
  EXPECT_THAT(column_texts(parse_columns({.fields = "+period", .default_sort = "comm"})->shown),
              ElementsAre("overhead", "period", "comm"));
}

TEST(ColumnLists, FieldsWithoutAPlusReplaceTheDefault) {
  const Columns columns = *parse_columns({.fields = "sym,overhead"});
  EXPECT_THAT(column_texts(columns.shown), ElementsAre("symbol", "overhead"));
  EXPECT_THAT(columns.levels, IsEmpty()) << "levels are those of -s";
  const Columns both = *parse_columns({.sort = "comm", .fields = "overhead,sym"});
  EXPECT_THAT(column_texts(both.shown), ElementsAre("overhead", "symbol", "comm")) << "a row is told apart by -s too";
  EXPECT_THAT(column_texts(both.order), ElementsAre("comm", "overhead", "symbol")) << "-s decides first";
}

TEST(ColumnLists, AMetricAmongTheSortKeysOrdersByItsPlace) {
  EXPECT_THAT(column_texts(sorted_by("comm,overhead").order), ElementsAre("comm", "overhead"));
  EXPECT_THAT(column_texts(sorted_by("comm,period").order), ElementsAre("overhead", "comm", "period"));
  EXPECT_THAT(column_texts(sorted_by("comm,period").shown), ElementsAre("overhead", "comm", "period"));
}

TEST(ColumnLists, TakeCommasSpacesAndRepetitions) {
  const struct Case {
    std::string_view list;
    std::vector<SortKey> keys;
  } cases[] = {
      {"comm,dso", {SortKey::Comm, SortKey::Dso}},
      {"comm dso", {SortKey::Comm, SortKey::Dso}},
      {" ,comm,, dso,", {SortKey::Comm, SortKey::Dso}},
      {"dso,comm,dso", {SortKey::Dso, SortKey::Comm}},
      {"COMM,Dso", {SortKey::Comm, SortKey::Dso}},
      {"", {}},
      {",", {}},
  };
  for (const Case& each : cases) EXPECT_EQ(sorted_by(each.list).keys, each.keys) << "'" << each.list << "'";
}

TEST(ColumnLists, BracesPutKeysOnOneLevel) {
  const struct Case {
    std::string_view list, levels;
  } cases[] = {
      {"comm,dso,symbol", "comm > dso > symbol"},
      {"{comm,dso},symbol", "comm+dso > symbol"},
      {"comm,{dso,symbol}", "comm > dso+symbol"},
      {"{comm,dso}{symbol,cpu}", "comm+dso > symbol+cpu"},
      {"{comm},dso", "comm > dso"},
      {"{comm,dso", "comm+dso"},                          // never closed
      {"comm}dso", "comm > dso"},                         // never opened
      {"{overhead,comm,dso},cpu", "comm+dso > cpu"},      // a metric cannot be a level
      {"comm,{comm,dso},symbol", "comm > dso > symbol"},  // a repeated key keeps its position
      {"{}", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(level_texts(sorted_by(each.list)), each.levels) << each.list;
}

TEST(ColumnLists, ErrorsNameTheOptionAndTheWord) {
  const struct Case {
    ColumnRequest request;
    std::string_view message, hint;
  } cases[] = {
      {{.sort = "comm,dos"}, "Unknown --sort key: `dos'", "did you mean 'dso'?"},
      {{.fields = "overhead,smaple"}, "Unknown --fields key: `smaple'", "did you mean 'sample'?"},
      {{.fields = "+xyzzy"}, "Unknown --fields key: `xyzzy'", "`report -h sort` lists the keys"},
      {{.sort = "comm;dso"}, "Unknown --sort key: `comm;dso'", "`report -h sort` lists the keys"},
      {{.sort = "symbols"}, "Unknown --sort key: `symbols'", "did you mean 'symbol'?"},
      {{.sort = "dso_to"},
       "Invalid --sort key: `dso_to'",
       "this key requires branches: record with -b, and report with -b"},
  };
  for (const Case& each : cases) {
    const auto columns = parse_columns(each.request);
    ASSERT_FALSE(columns) << each.message;
    EXPECT_EQ(columns.error().kind, ErrorKind::Usage);
    EXPECT_EQ(columns.error().message, each.message);
    EXPECT_EQ(columns.error().hint, each.hint);
  }
}

TEST(ColumnLists, KeysOfBranchesNeedBranches) {
  const auto columns = parse_columns({.sort = "dso_from,symbol_to", .branches = true});
  ASSERT_TRUE(columns);
  EXPECT_TRUE(needs_of(columns->keys).has(KeyNeed::Branches));
}

TEST(ColumnLists, NameOnlyTheKeysOfTheirTable) {
  const std::span<const SortKeySpec> few = all_sort_keys().first(3);  // pid, comm, dso
  EXPECT_TRUE(parse_columns({.sort = "dso", .keys = few}));
  const auto other = parse_columns({.sort = "symbol", .keys = few});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "Unknown --sort key: `symbol'");
}

TEST(ColumnLists, WordsAreDistinctAndAllParse) {
  const std::vector<std::string_view> words = column_words();
  EXPECT_EQ(std::set<std::string_view>(words.begin(), words.end()).size(), words.size());
  for (const std::string_view word : words)
    EXPECT_TRUE(parse_columns({.fields = std::string(word), .branches = true})) << word;
  EXPECT_THAT(words, ::testing::IsSupersetOf({"comm", "overhead", "snoop", "dtlb"}));
  EXPECT_LT(column_words(all_sort_keys().first(1)).size(), words.size());
}

// Fields that a recording's tracepoints have.
class RecordedFields : public DynamicKeys {
 public:
  std::vector<SortKey> find(std::string_view word) override {
    const auto found = known.find(word);
    return found == known.end() ? std::vector<SortKey>() : found->second;
  }
  std::vector<FieldColumn> columns() const override { return {{.name = "next_pid"}, {.name = "next_comm"}}; }
  std::map<std::string, std::vector<SortKey>, std::less<>> known{
      {"next_pid", {dynamic_key(0)}}, {"trace_fields", {dynamic_key(0), dynamic_key(1)}}, {"dso", {dynamic_key(1)}}};
};

TEST(ColumnLists, FieldsOfTracepointsAreKeysOfTheRecording) {
  RecordedFields fields;
  const auto shown = [&](std::string_view sort) {
    const auto columns = parse_columns({.sort = std::string(sort), .dynamic = &fields});
    return columns ? column_texts(columns->shown) : std::vector<std::string>{columns.error().message};
  };
  EXPECT_THAT(shown("comm,next_pid"), ElementsAre("overhead", "comm", "field 0"));
  EXPECT_THAT(shown("trace_fields"), ElementsAre("overhead", "field 0", "field 1"));
  EXPECT_THAT(shown("next_pid,trace_fields"), ElementsAre("overhead", "field 0", "field 1")) << "each field once";
  EXPECT_THAT(shown("dso"), ElementsAre("overhead", "dso")) << "a key's name is not a field's";
  EXPECT_THAT(shown("prev_pid"), ElementsAre("Unknown --sort key: `prev_pid'"));
  EXPECT_EQ(parse_columns({.sort = "comm", .dynamic = &fields})->fields.size(), 2u);
  EXPECT_EQ(level_texts(*parse_columns({.sort = "{dso,comm}", .dynamic = &fields})), "dso+comm");
}

TEST(Metrics, HaveOneRowEach) {
  std::set<std::string_view> names;
  for (const MetricSpec& spec : all_metrics()) {
    EXPECT_EQ(spec_of(spec.metric).name, spec.name);
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.percent && spec.mean) << spec.name;
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Metric::FirstAccessPart));
}

}  // namespace
}  // namespace peregrine
