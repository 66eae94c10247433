// A field of -F is one table row: these tests add a row to the table and expect the field everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "output/text/field/field_value.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_fields.h"
#include "session/script/script_lines.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A plain field that linux-perf does not have.
constexpr ScriptField kTransaction = {
    .name = "transaction",
    .needs = {.sample_bits = abi::sample_bit::Transaction, .attribute = "TRANSACTION"},
    .defaults = types_of(ScriptType::Software),
    .invalid = types_of(ScriptType::Hardware),
    .place = ColumnPlace::Page,
    .kind = ValueKind::Hex,
    .number = abi::sampled<&abi::Sample::transaction>,
    .machine = {.place = MachinePlace::Added},
};
constexpr u64 kAddedBit = u64{1} << kScriptFields.size();

std::vector<ScriptField> table_with(const ScriptField& row) {
  std::vector<ScriptField> rows(kScriptFields.begin(), kScriptFields.end());
  rows.push_back(row);
  return rows;
}

// One sample of "load", with transaction 0x21 if transactions are recorded.
data::Reader recording_of_load(bool has_transactions) {
  support::PerfDataBuilder data;
  const std::string fields = has_transactions ? "ip,tid,time,period,transaction" : "ip,tid,time,period";
  data.attr({{"type", 1}, {"sample", fields}, {"flags", "comm,sample_id_all"}});
  data.record("comm", {{"pid", 7}, {"tid", 7}, {"comm", "load"}, {"time", 1000}});
  support::Fields sample = {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2000}, {"period", 10}, {"misc", 2}};
  if (has_transactions) sample.emplace("transaction", 0x21);
  data.record("sample", sample);
  return support::open_built(data);
}

struct AddedFieldLines {
  std::string format = {};  // "": columns
  std::string words = {};   // for -F; empty: the defaults
  bool has_transactions = true;
  std::vector<std::string> columns = {};
};

// The output of `script`, or the message if it rejects the request.
std::string text_with(const std::vector<ScriptField>& rows, const AddedFieldLines& asked) {
  ScriptFields fields(rows);
  std::vector<std::string> warnings;
  if (!asked.words.empty()) EXPECT_TRUE(fields.parse(asked.words, warnings));
  data::Reader reader = recording_of_load(asked.has_transactions);
  testing::KeptMessages messages;
  ScriptLines lines({.fields = fields, .format = asked.format, .columns = asked.columns}, reader, messages);
  if (const auto settled = lines.settle_fields(); !settled) return settled.error().message;
  lines.make_plan();
  Sink out;
  SymbolPlaces places;
  places.load = false;
  EXPECT_TRUE(lines.print({.filter = {}, .gate = {}, .places = places}, out));
  return out.take();
}

TEST(ScriptFieldRow, IsParsedByItsName) {
  const auto rows = table_with(kTransaction);
  std::vector<std::string> warnings;
  ScriptFields fields(rows);
  ASSERT_TRUE(fields.parse("comm,transaction", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), script_field::Comm | kAddedBit);
  ASSERT_TRUE(fields.parse("-transaction", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), script_field::Comm);
  EXPECT_THAT(fields.parse("unknown", warnings).error().hint, EndsWith("brcntr, transaction"));
}

TEST(ScriptFieldRow, StatesTheTypesThatPrintOrRejectIt) {
  const auto rows = table_with(kTransaction);
  std::vector<std::string> warnings;
  ScriptFields fields(rows);
  EXPECT_EQ(fields.of(ScriptType::Software), ScriptFields().of(ScriptType::Software) | kAddedBit);
  EXPECT_EQ(fields.of(ScriptType::Raw), ScriptFields().of(ScriptType::Raw));
  EXPECT_EQ(ScriptFields(rows).parse("hw:transaction", warnings).error().message,
            "'transaction' not valid for hardware events.");
  ASSERT_TRUE(fields.parse("comm,transaction", warnings));
  EXPECT_THAT(warnings, ElementsAre("'transaction' not valid for hardware events. Ignoring.\n"));
}

TEST(ScriptFieldRow, IsRejectedIfTheRecordingLacksIt) {
  EXPECT_THAT(text_with(table_with(kTransaction), {.words = "comm,transaction", .has_transactions = false}),
              EndsWith(" event do not have TRANSACTION attribute set. Cannot print 'transaction' field."));
}

TEST(ScriptFieldRow, IsDroppedAsADefaultThatTheRecordingLacks) {
  const AddedFieldLines asked{.has_transactions = false};
  EXPECT_EQ(text_with(table_with(kTransaction), asked), text_with({kScriptFields.begin(), kScriptFields.end()}, asked));
}

TEST(ScriptFieldRow, MayHaveARequirementOfItsOwn) {
  ScriptField row = kTransaction;
  row.needs.refusal = [](const FieldCheck& check) -> std::string_view {
    return check.attr.type == 1 ? "no transactions in software" : "";
  };
  EXPECT_EQ(text_with(table_with(row), {.words = "transaction"}), "no transactions in software");
}

TEST(ScriptFieldRow, IsPrintedAsText) {
  const auto rows = table_with(kTransaction);
  EXPECT_EQ(text_with(rows, {.words = "comm,transaction"}), "            load               21\n");
  EXPECT_THAT(text_with(rows, {}), EndsWith("              21\n")) << "a default";
}

TEST(ScriptFieldRow, IsPrintedAsCsv) {
  const std::string text = text_with(table_with(kTransaction), {.format = "csv"});
  EXPECT_THAT(text, StartsWith("time,event,comm,pid,tid,cpu,period,ip,symbol,dso,stack,trace,transaction\n"));
  EXPECT_THAT(text, EndsWith(",7,7,,10,0x1010,,,,,0x21\n"));
  EXPECT_THAT(text_with(table_with(kTransaction), {.format = "csv", .has_transactions = false}),
              EndsWith(",7,7,,10,0x1010,,,,,\n"))
      << "empty if missing";
}

TEST(ScriptFieldRow, IsPrintedAsJsonLines) {
  const auto rows = table_with(kTransaction);
  EXPECT_THAT(text_with(rows, {.format = "jsonl"}), HasSubstr(R"("period":10,"transaction":"0x21","stack":[)"));
  EXPECT_THAT(text_with(rows, {.format = "jsonl", .has_transactions = false}), HasSubstr(R"("period":10,"stack":[)"));
}

TEST(ScriptFieldRow, IsAColumnOfBinaryRows) {
  const std::string bytes =
      text_with(table_with(kTransaction), {.format = "binary", .columns = {"transaction", "pid"}});
  u64 numbers[2] = {};
  ASSERT_EQ(bytes.size(), sizeof numbers);
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  EXPECT_THAT(numbers, ElementsAre(0x21u, 7u));
}

// A value's kind decides how each format writes it.
TEST(ScriptFieldRow, IsWrittenByItsKind) {
  struct Case {
    ValueKind kind;
    FieldValue value;
    std::string_view text, csv, json;
  };
  static FieldValue now;
  const Case cases[] = {
      {ValueKind::Unsigned, {.number = 40}, "              40\n", ",40\n", R"("transaction":40,)"},
      {ValueKind::Signed, {.number = ~u64{0}}, "              -1\n", ",-1\n", R"("transaction":-1,)"},
      {ValueKind::PageSize, {.number = 4096}, " 4K\n", ",4096\n", R"("transaction":4096,)"},
      {ValueKind::Time, {.number = 5'000'000'007}, " 5.000000007\n", ",5.000000007\n", R"("transaction":5.000000007,)"},
      {ValueKind::Text, {.text = "a,b"}, " a,b\n", ",\"a,b\"\n", R"("transaction":"a,b",)"},
  };
  for (const Case& one : cases) {
    now = one.value;
    ScriptField row = kTransaction;
    row.kind = one.kind;
    row.value = [](FieldSource&) { return now; };
    const auto rows = table_with(row);
    EXPECT_EQ(text_with(rows, {.words = "transaction"}), one.text);
    EXPECT_THAT(text_with(rows, {.format = "csv"}), EndsWith(std::string(one.csv)));
    EXPECT_THAT(text_with(rows, {.format = "jsonl"}), HasSubstr(std::string(one.json)));
  }
}

TEST(ScriptFieldRow, MayHaveAPrinterForText) {
  ScriptField row = kTransaction;
  row.put = [](SampleLine& line) {
    line.out.put(" transaction ");
    line.out.put_decimal(line.sample.transaction);
  };
  EXPECT_EQ(text_with(table_with(row), {.words = "transaction"}), " transaction 33\n");
}

TEST(ScriptFieldRow, IsPrintedAtItsPlace) {
  ScriptField row = kTransaction;
  row.place = ColumnPlace::Period;
  EXPECT_EQ(text_with(table_with(row), {.words = "ip,transaction"}), "              21             1010\n");
}

TEST(ScriptFieldRow, AddsTheFieldThatItIsShownWith) {
  ScriptField row = kTransaction;
  row.shown_with = "period";
  const auto rows = table_with(row);
  std::vector<std::string> warnings;
  ScriptFields fields(rows);
  ASSERT_TRUE(fields.parse("transaction", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), script_field::Period | kAddedBit);
}

}  // namespace
}  // namespace peregrine
