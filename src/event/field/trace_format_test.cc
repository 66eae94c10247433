#include "event/field/trace_format.h"

#include <gtest/gtest.h>

#include "event/syntax/parse.h"
#include "event/tracepoint/tracing_data.h"

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

// Of a probe, as the kernel describes it.
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
  ASSERT_NE(format->find("__unavailable"), nullptr);  // filters may name it
}

TEST(TraceFormat, MalformedTextIsAnError) {
  for (const char* text : {"", "name: x\n", "name: x\nID: y\n", "name: x\nID: 1\nformat:\n\tfield:int;\toffset:0;\n",
                           "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:9999999999;\tsize:1;\n",
                           "name: x\nID: 1\nformat:\nnonsense\n"})
    EXPECT_FALSE(parse_trace_format("s", text)) << text;
}

TEST(TracingData, WhatIsGatheredCanBeReadBack) {
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

}  // namespace
}  // namespace peregrine
