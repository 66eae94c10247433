// A field of samples that exists only in this test, as one row: everything that lists such fields uses the row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/help/completion_script.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"
#include "cmd/command_table.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/ctf/ctf_event.h"
#include "output/ctf/ctf_stream.h"
#include "output/sink.h"
#include "output/text/dump/raw_dump_sample.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_fields.h"
#include "script/interpreter.h"
#include "session/script/script_lines.h"
#include "support/built_recording.h"
#include "support/kept_messages.h"
#include "support/perf_data_builder.h"
#include "support/script_run.h"

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// The upper half of a transaction.
constexpr auto kTable = [] {
  std::array<abi::RecordedField, abi::kRecordedFields.size() + 1> rows;
  std::ranges::copy(abi::kRecordedFields, rows.begin());
  rows.back() = {.name = "abort_code",
                 .bits = abi::sample_bit::Transaction,
                 .attribute = "TRANSACTION",
                 .kind = abi::NumberKind::Hex,
                 .value = [](const abi::Sample& sample) { return sample.transaction >> 32; }};
  return rows;
}();
constexpr u64 kTransaction = 0x21'0000'0001;

const std::vector<ScriptField>& script_table() {
  static const std::vector<ScriptField> rows = script_field_rows::all_rows(kTable);
  return rows;
}

std::vector<std::string_view> fields_with_one_more() { return field_names(script_table()); }

data::Reader recorded(bool has_transactions) {
  support::PerfDataBuilder data;
  data.attr({{"type", 1},
             {"sample", has_transactions ? "ip,tid,time,period,transaction" : "ip,tid,time,period"},
             {"flags", "comm,sample_id_all"}});
  support::Fields sample = {{"ip", 0x1010}, {"pid", 7}, {"tid", 7}, {"time", 2000}, {"period", 10}, {"misc", 2}};
  if (has_transactions) sample.emplace("transaction", kTransaction);
  data.record("sample", sample);
  return support::open_built(data);
}

struct AskedLines {
  std::string fields = {};  // for -F; empty: the defaults
  std::string format = {};
  std::vector<std::string> columns = {};
  bool has_transactions = true;
};

// The output of `script`, or the message if it rejects the request.
std::string script_output(const AskedLines& asked) {
  ScriptFields fields(script_table());
  std::vector<std::string> warnings;
  if (!asked.fields.empty()) EXPECT_TRUE(fields.parse(asked.fields, warnings));
  data::Reader reader = recorded(asked.has_transactions);
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

abi::Sample transaction_sample() {
  abi::Sample sample;
  sample.fields = abi::sample_bit::Transaction;
  sample.transaction = kTransaction;
  return sample;
}

TEST(RecordedFieldRow, IsAFieldOfScript) {
  EXPECT_EQ(script_output({.fields = "period,abort_code"}), "        10               21\n");
  EXPECT_THAT(script_output({.fields = "period,abort_code", .has_transactions = false}),
              EndsWith(" do not have TRANSACTION attribute set. Cannot print 'abort_code' field."));
  std::vector<std::string> warnings;
  EXPECT_THAT(ScriptFields(script_table()).parse("unknown", warnings).error().hint, EndsWith(", abort_code"));
}

TEST(RecordedFieldRow, IsWrittenByEveryFormat) {
  EXPECT_THAT(script_output({.format = "csv"}), HasSubstr(",trace,abort_code\n"));
  EXPECT_THAT(script_output({.format = "csv"}), EndsWith(",0x21\n"));
  EXPECT_THAT(script_output({.format = "jsonl"}), HasSubstr(R"("abort_code":"0x21")"));
  const std::string bytes = script_output({.format = "binary", .columns = {"abort_code", "pid"}});
  u64 numbers[2] = {};
  ASSERT_EQ(bytes.size(), sizeof numbers);
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  EXPECT_THAT(numbers, ElementsAre(0x21u, 7u));
}

TEST(RecordedFieldRow, IsInTheRawDump) {
  std::string text;
  const abi::EventAttr attr;
  append_raw_sample(text, transaction_sample(), {},
                    {attr, abi::Arch::X86, abi::in_turn<&abi::RecordedField::dump>(kTable)});
  EXPECT_THAT(text, EndsWith("\n... transaction: 2100000001\n... abort_code: 0x21\n"));
}

TEST(RecordedFieldRow, IsInCtf) {
  abi::EventAttr attr;
  attr.sample_type = abi::sample_bit::Transaction;
  const auto [plan, made] = make_sample_plan(0, "made", attr, nullptr, ByteOrder::Little, kTable);
  ASSERT_EQ(made.fields.size(), 2u);
  EXPECT_EQ(made.fields.back().name, "perf_abort_code");
  EXPECT_TRUE(made.fields.back().wide);
  EXPECT_EQ(plan.numbers.back(), &kTable.back());
}

class RecordedFieldOfScripts : public ::testing::TestWithParam<script::Language> {
 protected:
  std::string output_of(std::string_view text) {
    script::ScriptRun run(GetParam());
    run.fields = kTable;
    const script::EventPlan plan = script::cycles_plan();
    return run
        .run(text,
             [&](script::Interpreter& interpreter) {
               interpreter.add_event(plan);
               script::Taken taken;
               taken.sample = transaction_sample();
               interpreter.sample(taken.replayed());
             })
        .text;
  }
};

TEST_P(RecordedFieldOfScripts, IsTheLastValue) {
  if (!script::ScriptRun(GetParam()).is_available()) GTEST_SKIP() << "built without this language";
  const bool is_python = GetParam() == script::Language::Python;
  EXPECT_EQ(
      output_of(is_python ? "def process_event(d):\n    print(list(d['sample'].items())[-1])\n"
                          : "sub process_event { printf(\"%d %x\\n\", length($_[2]), (unpack('Q*', $_[2]))[14]); }\n"),
      is_python ? "('abort_code', 33)\n" : "120 21\n");
}
INSTANTIATE_TEST_SUITE_P(Languages, RecordedFieldOfScripts,
                         ::testing::Values(script::Language::Python, script::Language::Perl),
                         [](const auto& info) { return info.param == script::Language::Python ? "Python" : "Perl"; });

TEST(RecordedFieldRow, IsInTheHelpTheManualAndCompletedByShells) {
  static constexpr Option kOptions[] = {{.name = "fields",
                                         .letter = 'F',
                                         .value = Value::Required,
                                         .metavar = "str",
                                         .help = "fields: {words}",
                                         .words = fields_with_one_more}};
  const Command command{.name = "lines", .summary = "Show samples", .options = kOptions};
  EXPECT_THAT(short_help("perf", command, {}, 0), HasSubstr(" abort_code"));
  EXPECT_THAT(manual_markdown(make_manual("perf", command)), HasSubstr("abort\\_code"));
  const Command* const commands[] = {&command};
  for (const char* shell : {"bash", "zsh", "fish"})
    EXPECT_THAT(*completion_script(shell, "perf", commands), HasSubstr(" abort_code'")) << shell;
}

TEST(RecordedFieldRow, RealOnesAreInTheHelpOfScript) {
  const auto option = std::ranges::find(kScript.options, "fields", &Option::name);
  ASSERT_NE(option, kScript.options.end());
  for (const abi::RecordedField& field : abi::kRecordedFields)
    if (field.is_printable) EXPECT_THAT(value_words(*option) + " ", HasSubstr(std::string(field.name) + " "));
}

}  // namespace
}  // namespace peregrine::cmd
