// A sort key that exists only in this test, as one row: everything that handles keys uses the row.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/sample_facts.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_value.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/help/completion_script.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"
#include "cmd/command_table.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/csv/report_csv.h"
#include "output/json/report_json.h"
#include "output/sink.h"
#include "output/text/report/report_table.h"
#include "pipeline/replay/replay.h"
#include "session/profile_session.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine::cmd {
namespace {

using support::PerfDataBuilder;
using ::testing::HasSubstr;

// Whether the sample's thread id is odd.
constexpr std::array kOneMoreKey{
    SortKeySpec{.name = "odd_thread",
                .kind = KeyKind::Word,
                .value = [](SampleFacts& of) -> u64 { return of.replayed().context.thread.tid % 2; },
                .text = [](const MachineNaming&, u64 value) -> std::string { return value == 1 ? "odd" : "even"; },
                .descending = true},
};

std::vector<std::string_view> words_with_one_more() { return column_words(kOneMoreKey); }

// Three samples: two of thread 7, one of thread 8.
data::Reader odd_and_even() {
  PerfDataBuilder builder;
  builder.attr({{"type", 1}, {"sample", "ip,tid,time,period"}, {"flags", "comm,task,sample_id_all"}});
  for (const u64 tid : {7, 8, 7})
    builder.record("sample", {{"ip", 0x1010}, {"pid", tid}, {"tid", tid}, {"time", 3}, {"period", 10}, {"misc", 2}});
  return support::open_built(builder);
}

// The recording, aggregated by the key.
class CountedByOneMore {
 public:
  CountedByOneMore() : reader_(odd_and_even()), session_(reader_) {
    SymbolPlaces nowhere;
    nowhere.load = false;
    session_.open(nowhere, false);
    const Columns columns = *parse_columns({.sort = "odd", .keys = kOneMoreKey});
    EXPECT_TRUE(session_.collect({.keys = columns.keys}));
    EXPECT_TRUE(Replay(reader_, session_.machine(), {}).run(session_.collector()));
    hists_.emplace(session_.finish());
    naming_.emplace(session_.naming());
    faces_.emplace(hists_->frames(), *naming_, face_keys(columns.keys));
    table_.emplace(*hists_, *faces_, *naming_, RowRequest{.columns = columns});
  }
  const RowTable& table() const { return *table_; }

 private:
  data::Reader reader_;
  ProfileSession session_;
  std::optional<Hists> hists_;
  std::optional<MachineNaming> naming_;
  std::optional<FaceTable> faces_;
  std::optional<RowTable> table_;
};

// The table as JSON or CSV, printed by `print`.
template <class Print>
std::string printed_rows(const RowTable& table, Print print) {
  RowValues values(table, {"cycles"});
  NamedRows rows{.event = "cycles", .names = values.names(), .size = table.rows().size()};
  rows.row = [&](std::size_t at) { return &values.of(table.rows()[at]); };
  Sink out;
  print(out, rows);
  return out.take();
}

TEST(SortKeyRow, IsNamedByLists) {
  const auto columns = parse_columns({.sort = "odd_thread", .keys = kOneMoreKey});
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->keys.at(0), SortKey(kOneMoreKey[0]));
  EXPECT_EQ(parse_columns({.fields = "odd,overhead", .keys = kOneMoreKey})->shown.at(0), column_of(kOneMoreKey[0]));
  const auto mistyped = parse_columns({.sort = "od_thread", .keys = kOneMoreKey});
  ASSERT_FALSE(mistyped);
  EXPECT_THAT(mistyped.error().hint, HasSubstr("odd_thread"));
  EXPECT_FALSE(parse_columns({.sort = "odd_thread"})) << "the real table has no such key";
}

TEST(SortKeyRow, GivesEachSampleItsValue) {
  const CountedByOneMore counted;
  const RowTable& table = counted.table();
  ASSERT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table.group_text(table.rows()[0], kOneMoreKey[0]), "odd");
  EXPECT_EQ(table.sums(table.rows()[0]).samples, 2u);
  EXPECT_EQ(table.group_value(table.rows()[1], kOneMoreKey[0]), 0u);
}

TEST(SortKeyRow, IsPrintedAsText) {
  const CountedByOneMore counted;
  Sink out;
  print_table(out, counted.table(), {});
  EXPECT_EQ(out.text(),
            "# Overhead  Odd Thread\n"
            "# ........  ..........\n"
            "#\n"
            "    66.67%  odd       \n"
            "    33.33%  even      \n");
}

TEST(SortKeyRow, IsPrintedAsCsvAndJson) {
  const CountedByOneMore counted;
  EXPECT_THAT(
      printed_rows(counted.table(), [](Sink& out, const NamedRows& rows) { print_report_csv(out, rows, true); }),
      ::testing::AllOf(HasSubstr("event,overhead,odd_thread,period,samples\n"), HasSubstr(",odd,20,2\n")));
  EXPECT_THAT(printed_rows(counted.table(), [](Sink& out, const NamedRows& rows) { print_report_lines(out, rows); }),
              HasSubstr("\"odd_thread\":\"even\",\"period\":10,\"samples\":1}\n"));
}

TEST(SortKeyRow, IsInTheHelpAndCompletedByShells) {
  static constexpr Option kOptions[] = {{.name = "sort",
                                         .letter = 's',
                                         .value = Value::Required,
                                         .metavar = "key",
                                         .help = "sort by: {words}, or none",
                                         .words = words_with_one_more}};
  const Command command{.name = "sample", .summary = "Show samples", .options = kOptions};
  EXPECT_THAT(short_help("perf", command, {}, 0), HasSubstr("sort by: odd_thread overhead "));
  EXPECT_THAT(manual_markdown(make_manual("perf", command)), HasSubstr("odd\\_thread"));
  const Command* const commands[] = {&command};
  EXPECT_THAT(*completion_script("bash", "perf", commands),
              HasSubstr("'sample -s'|'sample --sort'|'sample --sort=') _perf_list 'odd_"));
  for (const char* shell : {"zsh", "fish"}) EXPECT_THAT(*completion_script(shell, "perf", commands), HasSubstr("odd_"));
}

TEST(SortKeyRow, RealOnesAreInTheHelpOfReport) {
  const auto sort = std::ranges::find(kReport.options, "sort", &Option::name);
  ASSERT_NE(sort, kReport.options.end());
  for (const SortKeySpec& row : all_sort_keys())
    EXPECT_THAT(help_text(*sort), HasSubstr(fmt::format(" {} ", row.name)));
}

}  // namespace
}  // namespace peregrine::cmd
