#include "event/print/print_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/types.h"
#include "support/byte_buffer.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

// The field at the record's start, parsed from a line of a format file.
TraceField declared(std::string_view declaration, unsigned size, bool is_signed = false) {
  const auto format =
      parse_trace_format("s", fmt::format("name: x\nID: 1\nformat:\n\n\tfield:{};\toffset:0;\tsize:{};\tsigned:{};\n",
                                          declaration, size, int{is_signed}));
  EXPECT_TRUE(format.has_value() && format->fields.size() == 1) << declaration;
  return format->fields.at(0);
}

std::string shown_value(const TraceField& field, Bytes record, ByteOrder order = ByteOrder::Little) {
  TextBuffer out;
  put_field_value(out, field, record, order);
  return std::string(out.view());
}

TEST(PrintFields, NumbersHaveTheFormOfTheirType) {
  struct Case {
    std::string_view declaration;
    unsigned size;
    bool is_signed;
    u64 value;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"int i", 4, true, 0xffffffff, "-1"},
      {"int i", 4, true, 7, "7"},
      {"short s", 2, true, 0xfffe, "-2"},
      {"short s", 2, true, 5, " 5"},  // two columns wide, as in linux-perf
      {"s8 b", 1, true, 0x80, "-128"},
      {"s64 l", 8, true, ~u64{0}, "-1"},
      {"unsigned int u", 4, false, 0xffffffff, "4294967295"},
      {"u8 b", 1, false, 200, "200"},
      {"u64 l", 8, false, ~u64{0}, "18446744073709551615"},
      {"unsigned long l", 8, false, 255, "0xff"},  // a long, perhaps an address
      {"unsigned long l", 8, false, 0, "0x0"},
      {"void * p", 8, false, 0xffff800000000000, "0xffff800000000000"},
      {"long l", 8, true, ~u64{1}, "-2"},
  };
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.declaration);
    const TraceField field = declared(each.declaration, each.size, each.is_signed);
    for (const Endian endian : {Endian::Little, Endian::Big})
      EXPECT_EQ(shown_value(field, ByteBuffer(endian).put(each.value, each.size).bytes(),
                            endian == Endian::Big ? ByteOrder::Big : ByteOrder::Little),
                each.expected);
  }
}

TEST(PrintFields, AnArrayOfCharactersIsTextIfItLooksLikeText) {
  const TraceField field = declared("char comm[8]", 8);
  const auto text = [&](std::string_view content) {
    return shown_value(field, ByteBuffer().text(content).zeros(8 - content.size()).bytes());
  };
  EXPECT_EQ(text("bash"), "bash");
  EXPECT_EQ(text("bash-5.2"), "bash-5.2");  // no space for a NUL
  EXPECT_EQ(text("a\tb\n"), "a\tb\n");
  EXPECT_EQ(text(""), "");
  EXPECT_EQ(text("\x1b[2J"), "ARRAY[1b, 5b, 32, 4a, 00, 00, 00, 00]");
  EXPECT_EQ(text("gr\xc3\xbc"), "ARRAY[67, 72, c3, bc, 00, 00, 00, 00]");
  // Only the part before the NUL counts.
  EXPECT_EQ(text(std::string_view("a\0\xff", 3)), "a");
}

TEST(PrintFields, OtherArraysAreBytes) {
  EXPECT_EQ(shown_value(declared("int list[2]", 8), ByteBuffer().put32(1).put32(2).bytes()),
            "ARRAY[01, 00, 00, 00, 02, 00, 00, 00]");
  EXPECT_EQ(shown_value(declared("u8 mac[3]", 3), ByteBuffer().put(0x0201ff, 3).bytes()), "ARRAY[ff, 01, 02]");
}

TEST(PrintFields, DynamicFieldsShowWhatTheyPointAt) {
  const auto record = ByteBuffer().put16(4).put16(3).text("ls").zeros(1).bytes();
  EXPECT_EQ(shown_value(declared("__data_loc char[] file", 4), record), "ls");
  EXPECT_EQ(shown_value(declared("__data_loc u16[] list", 4), record), "ARRAY[6c, 73, 00]");
  // __rel_loc is relative to the end of the field.
  EXPECT_EQ(shown_value(declared("__rel_loc char[] file", 4), ByteBuffer().put16(1).put16(2).text("xls").bytes()),
            "ls");
}

TEST(PrintFields, FieldsBeyondTheRecordAreEmpty) {
  EXPECT_EQ(shown_value(declared("int i", 4, true), ByteBuffer().put16(7).bytes()), "0");
  EXPECT_EQ(shown_value(declared("char comm[8]", 8), {}), "");
  EXPECT_EQ(shown_value(declared("u32 list[2]", 8), {}), "ARRAY[]");
  EXPECT_EQ(shown_value(declared("__data_loc char[] file", 4), ByteBuffer().put16(500).put16(9).bytes()), "");
}

TEST(PrintFields, NamesComeBeforeValues) {
  TextBuffer out;
  const auto record = ByteBuffer().put32(77).bytes();
  put_named_field(out, declared("pid_t pid", 4, true), record, ByteOrder::Little);
  put_named_field(out, declared("u32 uid", 4), record, ByteOrder::Little);
  EXPECT_EQ(out.view(), " pid=77 uid=77");
}

TEST(PrintFields, PlaceholdersAreMarked) {
  TraceField field = declared("s32 a", 4, true);
  field.mask_offset = 4;
  field.mask_bit = 3;
  EXPECT_EQ(shown_value(field, ByteBuffer().put32(5).put64(8).bytes()), "(unavailable)");
  EXPECT_EQ(shown_value(field, ByteBuffer().put32(5).put64(7).bytes()), "5");
}

std::string plain_value(const TraceField& field, Bytes record) {
  TextBuffer out;
  put_plain_value(out, field, record, ByteOrder::Little);
  return std::string(out.view());
}

TEST(PrintFields, PlainArraysAreTextOrLists) {
  const auto bytes = [](u64 value, unsigned size) { return ByteBuffer(Endian::Little).put(value, size).bytes(); };
  EXPECT_EQ(plain_value(declared("char comm[8]", 8), bytes(0x0061'0a'62, 8)), "b\na");
  EXPECT_EQ(plain_value(declared("__u8 saddr[4]", 4), bytes(0x0100007f, 4)), "[127, 0, 0, 1]");
  EXPECT_EQ(plain_value(declared("short pair[2]", 4, true), bytes(0x0005fffe, 4)), "[-2, 5]");
  EXPECT_EQ(plain_value(declared("unsigned long args[1]", 8), bytes(0x1f, 8)), "[0x1f]");
  EXPECT_EQ(plain_value(declared("int gone[4]", 16, true), bytes(7, 4)), "[7]") << "the record ends early";
  const TraceField data = declared("__data_loc unsigned char[] buf", 4);
  EXPECT_EQ(plain_value(data, bytes(0x00ff01'0003'0004, 7)), "[1, 255, 0]");
  EXPECT_EQ(plain_value(data, bytes(0x006968'0003'0004, 7)), "hi");
  EXPECT_EQ(plain_value(declared("short s", 2, true), bytes(5, 2)), " 5") << "numbers are as in linux-perf";
}

}  // namespace
}  // namespace peregrine
