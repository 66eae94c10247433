#include "output/binary/script_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/bytes.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "output/text/field/script_field_rows.h"
#include "support/byte_buffer.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using support::SampleLines;
using ::testing::ElementsAre;

// 64-bit numbers in host byte order.
template <class Number = u64>
std::vector<Number> numbers_in(const std::string& bytes) {
  EXPECT_EQ(bytes.size() % sizeof(Number), 0u);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

std::vector<u64> binary_row(SampleLines& lines, const std::vector<std::string>& columns = {},
                            unsigned max_stack = 127) {
  lines.options = [&](ScriptPlan& plan) {
    plan.make_writer = [&] { return std::make_unique<BinaryWriter>(kScriptFields, columns, max_stack); };
  };
  return numbers_in(lines.print("comm"));
}

TEST(ScriptBinary, ARowHasTheColumnsOfTheTableUnlessSomeAreChosen) {
  SampleLines lines;
  EXPECT_THAT(binary_row(lines), ElementsAre(12'000'000'345, 40, 41, 3, 250'000, 0x1010));
  EXPECT_THAT(binary_row(lines, {"cpu", "time", "cpu"}), ElementsAre(3, 12'000'000'345, 3));
}

TEST(ScriptBinary, MissingAndUnknownNumbersAreZero) {
  SampleLines lines;
  lines.sample.fields = abi::sample_bit::Cpu;
  EXPECT_THAT(binary_row(lines), ElementsAre(0, 0, 0, 3, 250'000, 0));
  EXPECT_THAT(binary_row(lines, {"no_such_column", "comm"}), ElementsAre(0, 0)) << "a comm is no number";
}

TEST(ScriptBinary, NegativeNumbersAreExtended) {
  SampleLines lines;
  lines.sample.tid = ~0u;
  EXPECT_THAT(binary_row(lines, {"tid"}), ElementsAre(~u64{0}));
}

// The column has the address of the first frame in the JSON format.
TEST(ScriptBinary, TheAddressIsThatOfTheInnermostFrame) {
  SampleLines lines;
  lines.sample.ip = ResolvedProgram::kInner;
  EXPECT_THAT(binary_row(lines, {"ip"}), ElementsAre(0x1100));
  const u64 chain[] = {abi::kContextUser, ResolvedProgram::kMapped, ResolvedProgram::kInner};
  lines.attr.sample_type = abi::sample_bit::Callchain;
  lines.sample.callchain = chain;
  EXPECT_THAT(binary_row(lines, {"ip"}), ElementsAre(0x1000));
  EXPECT_THAT(binary_row(lines, {"ip"}, 0), ElementsAre(0)) << "no frame is requested";
  lines.sample.callchain = {};
  EXPECT_THAT(binary_row(lines, {"ip"}), ElementsAre(0));
}

TEST(ScriptBinary, FieldsOfTracepointsAreColumnsToo) {
  const TraceFormat format = *parse_trace_format(
      "town",
      "name: knock\nID: 77\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:int level;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char who[4];\toffset:12;\tsize:4;\tsigned:0;\n"
      "\tfield:__data_loc char[] text;\toffset:16;\tsize:4;\tsigned:0;\n\nprint fmt: \"%d\", REC->level\n");
  const PrintFormat print(format, TraceMachine{.order = ByteOrder::Big});
  const auto raw = support::ByteBuffer(support::Endian::Big).put16(77).zeros(6).put32(~6u).text("ann").zeros(5);
  SampleLines lines;
  lines.sample.raw = raw.bytes();
  const std::vector<std::string> columns{"level", "common_type", "who", "text", "period", "ip", "cpu"};
  lines.options = [&](ScriptPlan& plan) {
    plan.make_writer = [&] { return std::make_unique<BinaryWriter>(kScriptFields, columns, 127); };
    plan.events[0].traced = &format;
    plan.events[0].format = &print;
  };
  EXPECT_THAT(numbers_in<i64>(lines.print("comm")), ElementsAre(-7, 77, 0, 0, 0, 0, 3))
      << "texts are no numbers; a tracepoint has neither period nor ip";
}

}  // namespace
}  // namespace peregrine
