#include "output/json/script_jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "output/csv/script_csv.h"
#include "output/text/field/script_field_rows.h"
#include "support/byte_buffer.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

using support::ResolvedProgram;
using ::testing::ElementsAre;

// Samples in machine-readable formats. "town:knock" has a number, a number with names, an array and a text.
class MachineLines : public ::testing::Test {
 protected:
  static constexpr unsigned kDeepest = 2;

  std::string print(std::unique_ptr<SampleWriter> writer, bool traced = false) {
    lines.options = [&](ScriptPlan& plan) {
      plan.make_writer = [&] { return std::move(writer); };
      if (!traced) return;
      plan.events[0].traced = &format;
      plan.events[0].format = &print_format;
    };
    return lines.print("comm");
  }
  std::string csv(bool traced = false) { return print(std::make_unique<CsvWriter>(kScriptFields, kDeepest), traced); }
  std::string json_text(bool traced = false) {
    return print(std::make_unique<JsonWriter>(kScriptFields, kDeepest), traced);
  }
  nlohmann::json json(bool traced = false) { return nlohmann::json::parse(json_text(traced)); }

  void chain(std::vector<u64> addresses) {
    lines.attr.sample_type = abi::sample_bit::Callchain;
    addresses_ = std::move(addresses);
    lines.sample.callchain = addresses_;
  }
  void knock(u32 state = 2) {
    raw_ = support::ByteBuffer()
               .put32(77)
               .put32(0)
               .put32(~0u)
               .put32(state)
               .put16(1)
               .put16(0xfffe)
               .text("ann\"\n")
               .zeros(3)
               .bytes();
    lines.sample.raw = raw_;
  }

  support::SampleLines lines;
  TraceFormat format = *parse_trace_format(
      "town",
      "name: knock\nID: 77\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:int level;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:unsigned int state;\toffset:12;\tsize:4;\tsigned:0;\n"
      "\tfield:short pair[2];\toffset:16;\tsize:4;\tsigned:1;\n\tfield:char who[8];\toffset:20;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"%s, %d\", __print_symbolic(REC->state, {1, \"shut\"}, {2, \"open\"}), REC->level\n");
  PrintFormat print_format{format, TraceMachine{.order = ByteOrder::Little}};

 private:
  std::vector<u64> addresses_;
  std::vector<std::byte> raw_;
};

TEST_F(MachineLines, JsonHasTypedMembersInAFixedOrder) {
  lines.sample.cpu = 0;
  const std::string file = lines.program.file();
  EXPECT_EQ(json_text(),
            "{\"time\":12.000000345,\"event\":\"cycles:u\",\"comm\":\"shell\",\"pid\":40,\"tid\":41,\"cpu\":0,"
            "\"period\":250000,\"stack\":[{\"ip\":\"0x1010\",\"symbol\":\"outer\",\"offset\":16,\"dso\":\"" +
                file + "\"}]}\n");
}

TEST_F(MachineLines, JsonLeavesOutWhatASampleLacks) {
  lines.sample.fields = abi::sample_bit::Tid;
  const nlohmann::json object = json();
  EXPECT_FALSE(object.contains("time"));
  EXPECT_FALSE(object.contains("cpu"));
  EXPECT_FALSE(object.contains("stack")) << "no address";
  EXPECT_EQ(object["period"], 250'000) << "every sample has a weight";
}

TEST_F(MachineLines, JsonHasIdsWithASign) {
  lines.sample.pid = lines.sample.tid = ~0u;
  EXPECT_EQ(json()["pid"], -1);
  EXPECT_EQ(json()["tid"], -1);
}

TEST_F(MachineLines, JsonHasTheStackFromTheInnermostFrameOn) {
  chain({abi::kContextUser, ResolvedProgram::kInner, 0x700000, ResolvedProgram::kMapped});
  const nlohmann::json stack = json()["stack"];
  ASSERT_EQ(stack.size(), kDeepest) << "limited by --max-stack";
  EXPECT_EQ(stack[0]["symbol"], "inner");
  EXPECT_EQ(stack[0]["offset"], 0);
  EXPECT_EQ(stack[1], (nlohmann::json{{"ip", "0x700000"}})) << "in no map";
  chain({});
  EXPECT_FALSE(json().contains("stack"));
}

TEST_F(MachineLines, JsonHasTheFieldsOfATracepointAndTheNamesOfTheirValues) {
  knock();
  const nlohmann::json object = json(true);
  EXPECT_EQ(object["fields"], (nlohmann::json{{"level", -1}, {"state", 2}, {"pair", {1, -2}}, {"who", "ann\"\n"}}));
  EXPECT_EQ(object["labels"], (nlohmann::json{{"state", "open"}}));
  EXPECT_FALSE(object.contains("period")) << "a tracepoint's period is always 1";
  EXPECT_FALSE(object.contains("stack")) << "its address is that of the tracepoint";
}

TEST_F(MachineLines, JsonNamesValuesWithoutANameByTheirNumber) {
  knock(9);
  EXPECT_EQ(json(true)["labels"]["state"], "0x9") << "as the print format does";
}

// Records and formats come from a file, which may be damaged.
TEST_F(MachineLines, JsonStaysValidForRecordsThatAreCut) {
  knock();
  const Bytes whole = lines.sample.raw;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    lines.sample.raw = whole.first(size);
    EXPECT_TRUE(nlohmann::json::accept(json_text(true))) << size << ": " << json_text(true);
  }
}

TEST_F(MachineLines, CsvHasAColumnPerTitle) {
  EXPECT_EQ(script_csv_titles(kScriptFields), "time,event,comm,pid,tid,cpu,period,ip,symbol,dso,stack,trace\n");
  EXPECT_EQ(csv(), "12.000000345,cycles:u,shell,40,41,3,250000,0x401010,outer," + lines.program.file() + ",,\n");
}

TEST_F(MachineLines, CsvLeavesCellsEmptyForWhatASampleLacks) {
  lines.sample.fields = 0;
  EXPECT_EQ(csv(), ",cycles:u,shell,,,,250000,,,,,\n");
  lines.sample.fields = abi::sample_bit::Ip;
  lines.sample.ip = 0x700000;
  EXPECT_EQ(csv(), ",cycles:u,shell,,,,250000,0x700000,,,,\n");
}

// Spreadsheets and flame graph tools read the cell, so the outermost frame comes first.
TEST_F(MachineLines, CsvHasTheStackFromTheOutermostFrameOn) {
  chain({abi::kContextUser, ResolvedProgram::kInner, ResolvedProgram::kMapped + 0x300});
  EXPECT_THAT(csv(), ::testing::EndsWith(",[shell];inner,\n"));
  chain({abi::kContextUser, 0x700000, ResolvedProgram::kMapped});
  EXPECT_THAT(csv(), ::testing::EndsWith(",outer;[unknown],\n"));
}

TEST_F(MachineLines, CsvQuotesTheTextOfATracepoint) {
  knock();
  EXPECT_THAT(csv(true), ::testing::EndsWith(",\"open, -1\"\n"));
  lines.sample.raw = {};
  EXPECT_THAT(csv(true), ::testing::EndsWith(",,\n"));
}

TEST(MachineColumns, EachFormatHasItsColumnsInTheOrderOfTheirPlaces) {
  const auto titles = [](MachineFormat format) {
    std::vector<std::string_view> titles;
    for (const MachineField& column : machine_columns(kScriptFields, format)) titles.push_back(column.title);
    return titles;
  };
  EXPECT_THAT(titles(kJsonFormat), ElementsAre("time", "event", "comm", "pid", "tid", "cpu", "period"));
  EXPECT_THAT(titles(kBinaryFormat), ElementsAre("time", "pid", "tid", "cpu", "period", "ip"));
}

TEST(MachineColumns, AreInSamplesThatHaveOneOfTheirBits) {
  abi::Sample sample;
  sample.fields = abi::sample_bit::Time;
  EXPECT_TRUE((MachineField{.sample_bits = abi::sample_bit::Time | abi::sample_bit::Cpu}.is_in(sample)));
  EXPECT_FALSE((MachineField{.sample_bits = abi::sample_bit::Cpu}.is_in(sample)));
  EXPECT_TRUE(MachineField().is_in(sample));
}

}  // namespace
}  // namespace peregrine
