#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "support/byte_buffer.h"

namespace peregrine {
namespace {

using support::ByteBuffer;

// Fields: a pointer to a kernel string, four characters, two 16-bit numbers, and bytes elsewhere.
constexpr std::string_view kStringFields =
    "name: strings\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:const char * where;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[4];\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:s16 pair[2];\toffset:20;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc u8[] data;\toffset:24;\tsize:4;\tsigned:0;\n\nprint fmt: ";
constexpr u64 kKnownAddress = 0xffffffff82000010, kOtherAddress = 0xffffffff82000020;
constexpr std::string_view kKernelStrings =
    "0xffffffff82000010 : \"Rescheduling interrupts\\n\"\n"
    "nonsense\n"
    "0x20 : no quotes\n"
    "0x30 : \"say \"hi\"\"";

std::string printed_string(std::string_view print_fmt, u64 address = kKnownAddress) {
  const auto format = parse_trace_format("test", std::string(kStringFields) + std::string(print_fmt));
  const PrintFormat print(*format, {.order = ByteOrder::Little, .printk_formats = kKernelStrings});
  EXPECT_EQ(print.complaint(), "");
  ByteBuffer record;
  record.put16(5).zeros(6).put64(address).text("bash").put16(0xffff).put16(2).put16(28).put16(3).put(0x0aff01, 3);
  TextBuffer out;
  print.print(out, record.bytes(), nullptr);
  return std::string(out.view());
}

TEST(PrintString, APointerShowsTheStringOfTheKernel) {
  EXPECT_EQ(printed_string(R"f("(%s)", REC->where)f"), "(Rescheduling interrupts)");
  EXPECT_EQ(printed_string(R"f("(%.5s)", REC->where)f"), "(Resch)");
  EXPECT_EQ(printed_string(R"("%s", REC->where)", kOtherAddress), "ffffffff82000020");
}

TEST(PrintString, StringsOfTheKernelMayHaveQuotes) {
  EXPECT_EQ(printed_string(R"("%s", REC->where)", 0x30), R"(say "hi")");
  EXPECT_EQ(printed_string(R"("%s", REC->where)", 0x20), "20");
}

TEST(PrintString, TextsOfARecordArePrintable) {
  const auto printed = [](std::string_view print_fmt, std::string_view comm, std::string_view data) {
    const auto format = parse_trace_format("test", std::string(kStringFields) + std::string(print_fmt));
    const PrintFormat print(*format, {.order = ByteOrder::Little, .printk_formats = {}});
    ByteBuffer record;
    record.put16(5).zeros(14).text(comm).zeros(4 - comm.size() + 4).put16(28);
    record.put16(static_cast<u16>(data.size())).text(data);
    TextBuffer out;
    print.print(out, record.bytes(), nullptr);
    return std::string(out.view());
  };
  // The format's own text keeps its tabs and newlines.
  EXPECT_EQ(printed(R"("%s\t|%5s\n", REC->comm, REC->comm)", "\x1b\n\x9b", ""),
            "\\x1b\\x0a\\x9b\t|  \\x1b\\x0a\\x9b\n");
  EXPECT_EQ(printed(R"("%s.", __get_str(data))", "x", "fx\n  sshd 1 [0] 9.1: \xff\t\xe2\x80\xae"),
            "fx\\x0a  sshd 1 [0] 9.1: \\xff\\x09\\xe2\\x80\\xae.");
  EXPECT_EQ(printed(R"("%s %c", __get_str(data), REC->comm[0])", "\n", "gr\xc3\xbc"), "gr\xc3\xbc \\x0a");
  // A format that does not parse makes fields print by name.
  EXPECT_NE(printed(R"("%s", nonsense()", "a\nb", "").find(" comm=a\\x0ab"), std::string::npos);
}

TEST(PrintString, AFullArrayOfCharactersNeedsNoNul) {
  EXPECT_EQ(printed_string(R"("%s|%6s|%-6s|", REC->comm, REC->comm, REC->comm)"), "bash|  bash|bash  |");
}

TEST(PrintString, LooksThroughCastsAndConditions) {
  EXPECT_EQ(printed_string(R"("%s", (char *)REC->comm)"), "bash");
  EXPECT_EQ(printed_string(R"("%s", REC->pair[1] == 2 ? REC->comm : "none")"), "bash");
  EXPECT_EQ(printed_string(R"("%s", REC->pair[1] == 3 ? REC->comm : "none")"), "none");
  EXPECT_EQ(printed_string(R"("%7s", REC->pair[1] ? REC->pair[0] ? "both" : "one" : "none")"), "   both");
}

TEST(PrintString, WordsOfTheKernelStandForThemselves) {
  EXPECT_EQ(printed_string(R"("%s %s", UNKNOWN_CONSTANT, "text")"), "UNKNOWN_CONSTANT text");
}

TEST(PrintString, ArraysListTheirElements) {
  EXPECT_EQ(printed_string(R"("%s", __print_array(REC->pair, 2, 2))"), "65535 2");
  EXPECT_EQ(printed_string(R"("%s", __print_array(REC->pair, 1, 2))"), "65535");
  EXPECT_EQ(printed_string(R"("%s", __print_array(REC->pair, 9, 2))"), "65535 2");  // no more than available
  EXPECT_EQ(printed_string(R"("%s", __print_array(REC->pair, 2, 0))"), "");
  EXPECT_EQ(printed_string(R"("%s", __print_dynamic_array(data, 1))"), "1 255 10");
}

TEST(PrintString, BytesAreHexadecimal) {
  EXPECT_EQ(printed_string(R"("%s", __print_hex(__get_dynamic_array(data), 3))"), "01 ff 0a");
  EXPECT_EQ(printed_string(R"("%s", __print_hex_str(__get_dynamic_array(data), 2))"), "01ff");
  EXPECT_EQ(printed_string(R"("%s", __print_hex(REC->comm, 100))"), "62 61 73 68");
}

// As in linux-perf, each name is padded, but bits without a name are not.
TEST(PrintString, PadsTheWordsOfATable) {
  EXPECT_EQ(printed_string(R"("%3s|", __print_flags(REC->pair[1] | 5, ",", { 1, "A" }, { 2, "B" }))"), "  A,  B,0x4|");
  EXPECT_EQ(printed_string(R"("%-3s|", __print_symbolic(REC->pair[1], { 2, "B" }))"), "B  |");
  EXPECT_EQ(printed_string(R"("%-5s|", __print_symbolic(REC->pair[1], { 3, "C" }))"), "0x2|");
}

TEST(PrintString, ANumberWhereTextIsExpectedIsEmptyUnlessConstant) {
  EXPECT_EQ(printed_string(R"("<%s>", REC->pair[1] + 1)"), "<>");
  EXPECT_EQ(printed_string(R"("<%s>", 40 + 2)"), "<42>");
}

}  // namespace
}  // namespace peregrine
