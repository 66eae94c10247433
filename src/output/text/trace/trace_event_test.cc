#include "output/text/trace/trace_event.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace peregrine {
namespace {

class NoNames : public TraceNames {
 public:
  std::string_view comm(i32) override { return ""; }
  std::string_view file(i32, i64) override { return ""; }
};

constexpr std::string_view kTraceFormat =
    "name: ipi_send\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:__data_loc cpumask_t cpumask;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:int vector;\toffset:12;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"cpumask=%s vector=%d\", __get_cpumask(cpumask), REC->vector";

TEST(TraceEvent, BitmapsAreShownAsListsOnRequest) {
  const auto format = parse_trace_format("ipi", kTraceFormat);
  ASSERT_TRUE(format);
  ByteWriter record(kHostOrder);
  record.put16(7).zeros(6).put32(16 | 8 << 16).put32(3).put64(0b10001111);
  PrintFormat print(*format, {});
  NoNames names;
  const auto fields = [&] {
    ScriptText out;
    put_fields(out, names, *format, &print, {}, record.bytes(), kHostOrder);
    return std::string(out.view());
  };
  EXPECT_EQ(fields(), "vector: 3");
  print.list_bits();
  EXPECT_EQ(fields(), "cpumask: 0-3,7, vector: 3");
}

constexpr std::string_view kTimerFormat =
    "name: hrtimer_start\nID: 8\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:enum hrtimer_mode mode;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:bool was_armed;\toffset:20;\tsize:1;\tsigned:0;\n\n"
    "print fmt: \"mode=%s\", __print_symbolic(REC->mode, { 1, \"REL\" })";

TEST(TraceEvent, EnumsAreShownByTheirNames) {
  const auto format = parse_trace_format("timer", kTimerFormat);
  ASSERT_TRUE(format);
  PrintFormat print(*format, {});
  NoNames names;
  const std::vector<PrintNames> enums{
      {.field = "mode",
       .delimiter = {},
       .words = {{0, "HRTIMER_MODE_ABS"}, {1, "HRTIMER_MODE_REL"}, {0xffffffff, "HRTIMER_MODE_LAST"}}}};
  const auto shown = [&](u32 mode, std::span<const PrintNames> known) {
    ByteWriter record(kHostOrder);
    record.put16(8).zeros(6).put64(0x1000).put32(mode).put32(0);
    ScriptText out;
    put_fields(out, names, *format, &print, known, record.bytes(), kHostOrder);
    return std::string(out.view());
  };
  EXPECT_EQ(shown(0, enums), "hrtimer: 0x1000, mode: HRTIMER_MODE_ABS");
  EXPECT_EQ(shown(1, enums), "hrtimer: 0x1000, mode: HRTIMER_MODE_REL");
  EXPECT_EQ(shown(0xffffffff, enums), "hrtimer: 0x1000, mode: HRTIMER_MODE_LAST");
  EXPECT_EQ(shown(9, enums), "hrtimer: 0x1000, mode: 9");
  EXPECT_EQ(shown(1, {}), "hrtimer: 0x1000, mode: REL");
  EXPECT_EQ(shown(0, {}), "hrtimer: 0x1000");
}

constexpr std::string_view kSocketFormat =
    "name: inet_sock_set_state\nID: 9\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:__u8 saddr[4];\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__u8 daddr[4];\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc int[] sizes;\toffset:16;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"\"";

TEST(TraceEvent, ArraysAreLists) {
  const auto format = parse_trace_format("sock", kSocketFormat);
  ASSERT_TRUE(format);
  NoNames names;
  ByteWriter record(kHostOrder);
  record.put16(9).zeros(6).put32(0x0100007f).put32(0).put32(20 | 8 << 16).put32(3).put32(~0u);
  ScriptText out;
  put_fields(out, names, *format, nullptr, {}, record.bytes(), kHostOrder);
  EXPECT_EQ(out.view(), "saddr: [127, 0, 0, 1], sizes: [3, -1]") << "zeros are not shown";
}

}  // namespace
}  // namespace peregrine
