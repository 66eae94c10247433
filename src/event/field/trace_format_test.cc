#include "event/field/trace_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "base/bytes.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "event/tracepoint/tracing_data.h"
#include "sys/root.h"

namespace peregrine {
namespace {

TraceField field_of(std::string_view declaration, u32 size) {
  const auto text =
      fmt::format("name: x\nID: 1\nformat:\n\n\tfield:{};\toffset:8;\tsize:{};\tsigned:1;\n", declaration, size);
  const auto format = parse_trace_format("s", text);
  return format && !format->fields.empty() ? format->fields[0] : TraceField{};
}

TEST(TraceFormat, ReadsAFormatFile) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  const auto format = parse_trace_format("sched", *(*sources.tracefs())->format("sched", "sched_switch"));
  ASSERT_TRUE(format);
  EXPECT_EQ(format->name, "sched_switch");
  EXPECT_EQ(format->id, 316u);
  EXPECT_EQ(format->common.size(), 4u);
  EXPECT_EQ(format->fields.size(), 3u);
  EXPECT_EQ(format->print_fmt, "\"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid");
  EXPECT_TRUE(format->find("common_pid")->is_signed);
  const auto* comm = format->find("prev_comm");
  EXPECT_EQ(comm->offset, 8u);
  EXPECT_EQ(comm->array_length, 16u);
  EXPECT_EQ(comm->element_size(), 1u);
  EXPECT_TRUE(comm->is_string);
  EXPECT_EQ(format->find("nothing"), nullptr);
}

TEST(TraceFormat, Declarations) {
  EXPECT_EQ(field_of("unsigned long args[6]", 48).element_size(), 8u);
  EXPECT_EQ(field_of("unsigned long args[6]", 48).type, "unsigned long");
  EXPECT_EQ(field_of("u8 m[2][4]", 8).array_length, 8u);
  const auto dynamic = field_of("__data_loc char[] filename", 4);
  EXPECT_TRUE(dynamic.is_data_loc && dynamic.is_string && dynamic.is_array);
  EXPECT_EQ(dynamic.name, "filename");
  EXPECT_EQ(dynamic.type, "char");
  const auto relative = field_of("__rel_loc u64[] list", 4);
  EXPECT_TRUE(relative.is_rel_loc && !relative.is_string);
  EXPECT_EQ(relative.element_size(), 8u);
  const auto pointer = field_of("const char * filename", 8);
  EXPECT_TRUE(pointer.is_pointer && pointer.is_string && !pointer.is_array);
  EXPECT_EQ(field_of("struct page * page", 8).name, "page");
}

// A probe's format, as the kernel describes it.
TEST(TraceFormat, TakesTheMasksOfUnavailableArguments) {
  const auto format = parse_trace_format(
      "probe_x",
      "name: f\nID: 1\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
      "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
      "\tfield:u8 a;\toffset:16;\tsize:1;\tsigned:0;\n\tfield:s32 b;\toffset:17;\tsize:4;\tsigned:1;\n"
      "\tfield:u64 __unavailable;\toffset:21;\tsize:8;\tsigned:0;\n\n"
      "print fmt: \"(%lx) a=%u b=%d __unavailable=0x%Lx\", REC->__probe_ip, REC->a, REC->b, REC->__unavailable\n");
  ASSERT_TRUE(format);
  ASSERT_EQ(format->fields.size(), 3u);
  EXPECT_EQ(format->fields[0].mask_bit, TraceField::kAlwaysAvailable);
  EXPECT_EQ(format->fields[1].mask_bit, 0);
  EXPECT_EQ(format->fields[2].mask_bit, 1);
  EXPECT_EQ(format->fields[2].mask_offset, 21u);
  EXPECT_EQ(format->print_fmt, "\"(%lx) a=%u b=%d\", REC->__probe_ip, REC->a, REC->b");
  ASSERT_NE(format->find("__unavailable"), nullptr);  // filters may use its name
}

TEST(TraceFormat, FieldsOfManyWordsHaveATypeAndAName) {
  struct Case {
    std::string_view declaration, type, name;
    bool is_array, is_pointer, is_string;
  };
  constexpr Case kCases[] = {
      {"unsigned long long int x", "unsigned long long int", "x", false, false, false},
      {"enum hrtimer_mode mode", "enum hrtimer_mode", "mode", false, false, false},
      {"const struct trace_event * event", "const struct trace_event *", "event", false, true, false},
      {"char *name", "char *", "name", false, true, true},
      {"char comm[TASK_COMM_LEN]", "char", "comm", true, false, true},
      {"unsigned char mac[6]", "unsigned char", "mac", true, false, false},
      {"__data_loc unsigned char[] data", "unsigned char", "data", true, false, true},
      {"__rel_loc char[] file", "char", "file", true, false, true},
      {"char buf[]", "char", "buf", true, false, true},
      {"u64 __probe_ip", "u64", "__probe_ip", false, false, false},
  };
  for (const auto& [declaration, type, name, is_array, is_pointer, is_string] : kCases) {
    SCOPED_TRACE(declaration);
    const TraceField field = field_of(declaration, 8);
    EXPECT_EQ(field.type, type);
    EXPECT_EQ(field.name, name);
    EXPECT_EQ(field.declaration, declaration);
    EXPECT_EQ(field.is_array, is_array);
    EXPECT_EQ(field.is_pointer, is_pointer);
    EXPECT_EQ(field.is_string, is_string);
  }
}

TEST(TraceFormat, ElementsHaveTheSizeOfTheirType) {
  struct Case {
    std::string_view declaration;
    u32 size, element;
  };
  constexpr Case kCases[] = {
      {"int x", 4, 4},
      {"u16 x[4]", 8, 2},
      {"u8 x[0]", 0, 1},
      {"__data_loc char[] x", 4, 1},
      {"__data_loc u8[] x", 4, 1},
      {"__data_loc __u16[] x", 4, 2},
      {"__data_loc short[] x", 4, 2},
      {"__data_loc u32[] x", 4, 4},
      {"__data_loc unsigned long[] x", 4, 8},
      {"__rel_loc s64[] x", 4, 8},
  };
  for (const auto& [declaration, size, element] : kCases)
    EXPECT_EQ(field_of(declaration, size).element_size(), element) << declaration;
}

// Kernels before 2.6.30 do not say whether fields are signed; ftrace's own events have "field special:".
TEST(TraceFormat, ReadsOlderAndSpecialFields) {
  const auto format = parse_trace_format("ftrace",
                                         "name: kernel_stack\nID: 4\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\n\n"
                                         "\tfield special:int size;\toffset:8;\tsize:4;\tsigned:1;\n");
  ASSERT_TRUE(format) << format.error().message;
  EXPECT_FALSE(format->common.at(0).is_signed);
  EXPECT_EQ(format->fields.at(0).name, "size");
  EXPECT_TRUE(format->fields.at(0).is_signed);
  EXPECT_EQ(format->print_fmt, "");
}

TEST(TraceFormat, ThePrintFormatMayHaveSeveralLines) {
  const auto format = parse_trace_format("s", "name: x\nID: 1\nformat:\n\nprint fmt: \"%d\n\", \nREC->a\n\n");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->print_fmt, "\"%d\n\", \nREC->a");
}

TEST(TraceFormat, AnErrorShowsTheLine) {
  const auto error = [](const char* text) { return parse_trace_format("s", text).error().message; };
  EXPECT_EQ(error("name: x\nID: many\n"), "tracepoint s:x: missing number in 'ID: many'");
  EXPECT_EQ(error("name: x\nID: 4294967296\n"), "tracepoint s:x: missing number in 'ID: 4294967296'");
  EXPECT_EQ(error("name: x\nID: 1\nformat:\n\tfield:int a;\tsize:4;\n"),
            "tracepoint s:x: invalid field 'field:int a;\tsize:4;'");
  EXPECT_EQ(error("ID: 1\n"), "tracepoint format of system 's' has no name or ID");
}

// A probe with 70 arguments has two words of availability bits.
TEST(TraceFormat, TheSecondMaskIsOfArgumentsFrom64On) {
  std::string text = "name: f\nID: 1\nformat:\n\n\tfield:unsigned long __probe_ip;\toffset:0;\tsize:8;\tsigned:0;\n";
  for (unsigned i = 0; i < 70; ++i) text += fmt::format("\tfield:u8 a{};\toffset:{};\tsize:1;\tsigned:0;\n", i, 8 + i);
  text +=
      "\tfield:u64 __unavailable;\toffset:80;\tsize:8;\tsigned:0;\n"
      "\tfield:u64 __unavailable64;\toffset:88;\tsize:8;\tsigned:0;\n";
  const auto format = parse_trace_format("probe", text);
  ASSERT_TRUE(format);
  ASSERT_EQ(format->fields.size(), 71u);
  EXPECT_EQ(format->masks.size(), 2u);
  for (const unsigned argument : {0u, 63u, 64u, 69u}) {
    const TraceField* field = format->find(fmt::format("a{}", argument));
    EXPECT_EQ(field->mask_offset, argument < 64 ? 80u : 88u) << argument;
    EXPECT_EQ(field->mask_bit, argument % 64) << argument;
  }
}

TEST(TraceFormat, MalformedTextIsAnError) {
  for (const char* text : {"", "name: x\n", "name: x\nID: y\n", "name: x\nID: 1\nformat:\n\tfield:int;\toffset:0;\n",
                           "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:9999999999;\tsize:1;\n",
                           "name: x\nID: 1\nformat:\nnonsense\n"})
    EXPECT_FALSE(parse_trace_format("s", text)) << text;
}

TEST(TracingData, RoundTrips) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  EventList list;
  ASSERT_TRUE(parse_events("sched:*,syscalls:*,cycles", sources, list));
  auto data = gather_tracing_data(sources, list);
  ASSERT_TRUE(data);
  data->saved_cmdlines = "1 init\n";
  const auto bytes = encode_tracing_data(*data);
  const auto again = decode_tracing_data(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->systems.size(), 2u);
  EXPECT_EQ(again->formats.size(), 4u);
  EXPECT_EQ(again->find(316)->name, "sched_switch");
  EXPECT_EQ(again->find(316)->system, "sched");
  EXPECT_EQ(again->find(1), nullptr);
  EXPECT_EQ(again->saved_cmdlines, "1 init\n");
  EXPECT_EQ(encode_tracing_data(*again), bytes);
}

TEST(TracingData, OtherByteOrder) {
  TracingData data;
  data.order = kHostOrder == ByteOrder::Little ? ByteOrder::Big : ByteOrder::Little;
  data.systems.push_back({"a", {"name: x\nID: 7\nformat:\n"}});
  const auto again = decode_tracing_data(encode_tracing_data(data));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->order, data.order);
  EXPECT_EQ(again->find(7)->name, "x");
}

TEST(TracingData, EveryCutIsAnErrorOrHasLostOnlyTheEnd) {
  TracingData data;
  data.header_page = "page";
  data.header_event = "event";
  data.systems.push_back({"a", {"name: x\nID: 7\nformat:\n"}});
  data.printk_formats = "p";
  const auto bytes = encode_tracing_data(data);
  for (std::size_t size = 0; size < bytes.size() - 8; ++size)
    EXPECT_FALSE(decode_tracing_data(Bytes(bytes).first(size))) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] ^= std::byte{0xff};
    (void)decode_tracing_data(changed);
  }
}

TEST(TraceFormat, KnowsTheFloatingPointArgumentsOfMarkers) {
  constexpr std::string_view kText =
      "name: order\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:u64 arg1_double;\toffset:8;\tsize:8;\tsigned:0;\n"
      "\tfield:u32 arg2_float;\toffset:16;\tsize:4;\tsigned:0;\n"
      "\tfield:u32 arg3_double;\toffset:20;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
  const auto marker = parse_trace_format("sdt_shop", kText);
  ASSERT_TRUE(marker) << marker.error().message;
  EXPECT_TRUE(marker->find("arg1_double")->is_float);
  EXPECT_TRUE(marker->find("arg2_float")->is_float);
  EXPECT_FALSE(marker->find("arg3_double")->is_float) << "of another size";
  EXPECT_FALSE(parse_trace_format("shop", kText)->find("arg1_double")->is_float) << "only markers";
}

}  // namespace
}  // namespace peregrine
