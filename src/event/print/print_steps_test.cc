#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_number.h"
#include "support/byte_buffer.h"

namespace peregrine {
namespace {

using support::ByteBuffer;
using support::Endian;

// A field of each size and sign, an array, an address and a bitmap.
struct Stepped {
  std::string_view declaration;
  unsigned offset, size;
  bool is_signed;
};
constexpr Stepped kStepped[] = {
    {"s8 s1", 0, 1, true},
    {"u8 u1", 1, 1, false},
    {"s16 s2", 2, 2, true},
    {"u16 u2", 4, 2, false},
    {"s32 s4", 8, 4, true},
    {"u32 u4", 12, 4, false},
    {"s64 s8", 16, 8, true},
    {"u64 u8", 24, 8, false},
    {"s16 list[2]", 32, 4, true},
    {"u8 address[16]", 36, 16, false},
    {"__data_loc unsigned long[] mask", 52, 4, false},
    {"char comm[8]", 56, 8, false},
};

std::string stepped_text(std::string_view print_fmt, Endian endian = Endian::Little) {
  std::string text = "name: x\nID: 1\nformat:\n\n";
  for (const auto& [declaration, offset, size, is_signed] : kStepped)
    text += fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:{};\n", declaration, offset, size, int{is_signed});
  const auto format = parse_trace_format("s", fmt::format("{}\nprint fmt: {}\n", text, print_fmt));
  const PrintFormat print(*format, {.order = endian == Endian::Big ? ByteOrder::Big : ByteOrder::Little});
  EXPECT_EQ(print.complaint(), "") << print_fmt;
  ByteBuffer record(endian);
  record.put(0x85, 1).put(0x85, 1).put16(0xfff0).put16(0xfff0).zeros(2).put32(0x80000005).put32(0x80000005);
  record.put64(~u64{4}).put64(~u64{4}).put16(0xfffd).put16(7);
  for (unsigned i = 0; i < 16; ++i) record.put(i, 1);
  record.put32(64 | 8 << 16).text("sh").zeros(6).put64(0x10f);
  TextBuffer out;
  print.print(out, record.bytes(), nullptr);
  return std::string(out.view());
}

// A plain field has a special step that reads it directly from the record. Its text must equal that of the expression
// FIELD + 0, which is evaluated.
TEST(PrintSteps, FastStepsPrintWhatExpressionsPrint) {
  for (const char* field : {"REC->s1", "REC->u1", "REC->s2", "REC->u2", "REC->s4", "REC->u4", "REC->s8", "REC->u8",
                            "REC->list[0]", "REC->list[1]"})
    for (const char* conversion : {"%d",   "%i",   "%u",   "%x", "%12d", "%012d", "%3u", "%08x", "%2x", "%hd", "%hu",
                                   "%hhd", "%hhu", "%hhx", "%X", "%o",   "%-6d|", "%+d", "%.4d", "%#x", "%40d"})
      for (const Endian endian : {Endian::Little, Endian::Big})
        EXPECT_EQ(stepped_text(fmt::format("\"{}\", {}", conversion, field), endian),
                  stepped_text(fmt::format("\"{}\", {} + 0", conversion, field), endian))
            << conversion << " of " << field;
}

TEST(PrintSteps, WideConversionsPrintWideFieldsWhole) {
  for (const char* length : {"l", "ll", "L", "q", "j", "z", "t"}) {
    EXPECT_EQ(stepped_text(fmt::format("\"%{0}d %{0}u %{0}x\", REC->s8, REC->u8, REC->u8", length)),
              "-5 18446744073709551611 fffffffffffffffb")
        << length;
  }
  EXPECT_EQ(stepped_text(R"("%d %u %x", REC->s8, REC->u8, REC->u8)"), "-5 4294967291 fffffffb");
}

// (int) of a field preserves every bit that %d prints; (u8) does not.
TEST(PrintSteps, CastsCutOnlyWhatTheyMust) {
  EXPECT_EQ(stepped_text(R"("%d %u", (int)REC->s4, (unsigned int)REC->u4)"), "-2147483643 2147483653");
  EXPECT_EQ(stepped_text(R"("%u %d", (u8)REC->u4, (u16)REC->s2)"), "5 65520");
  EXPECT_EQ(stepped_text(R"("%llx %llx", (u32)REC->u8, (unsigned long long)REC->u8)"), "fffffffb fffffffffffffffb");
  EXPECT_EQ(stepped_text(R"("%u", (u8)(u16)REC->u2)"), "240");
}

// A cast to long preserves the sign, whether the step is fast or, as with the flag -, evaluated.
TEST(PrintSteps, CastsToLongKeepTheSignOfNarrowFields) {
  for (const char* type : {"long", "long long", "s64", "unsigned long"})
    for (const auto& [field, value] : {std::pair{"REC->s1", "-123"},
                                       {"REC->s2", "-16"},
                                       {"REC->list[0]", "-3"},
                                       {"REC->u1", "133"},
                                       {"REC->u2", "65520"},
                                       {"REC->s8", "-5"}}) {
      EXPECT_EQ(stepped_text(fmt::format("\"%ld\", ({}){}", type, field)), value) << type << field;
      EXPECT_EQ(stepped_text(fmt::format("\"%-ld\", ({}){}", type, field)), value) << type << field;
    }
}

TEST(PrintSteps, TextBetweenConversionsIsKept) {
  EXPECT_EQ(stepped_text(R"("100%% of %s, %c%c\t%%d", REC->comm, 'o', 'k')"), "100% of sh, ok\t%d");
  EXPECT_EQ(stepped_text(R"("")"), "");
  EXPECT_EQ(stepped_text(R"("only text")"), "only text");
  EXPECT_EQ(stepped_text(R"("tail %d end", REC->u1)"), "tail 133 end");
  const std::string long_text(1000, 'x');
  EXPECT_EQ(stepped_text(fmt::format("\"{0}%d{0}\", REC->u1", long_text)), long_text + "133" + long_text);
}

TEST(PrintSteps, WidthsAndPrecisionsMayBeArguments) {
  EXPECT_EQ(stepped_text(R"("%*d|%-*d|%*d|", 5, REC->u1, 5, REC->u1, -5, REC->u1)"), "  133|133  |133  |");
  EXPECT_EQ(stepped_text(R"("%.*s|%*.*s|%.*s|", 1, REC->comm, 4, 1, REC->comm, -1, REC->comm)"), "s|   s|sh|");
  EXPECT_EQ(stepped_text(R"("%.*d", REC->list[1], REC->u1)"), "0000133");
  // Hostile widths are reduced to the limit.
  EXPECT_EQ(stepped_text(R"("%*d", 2147483647, 1)").size(), PrintSpec::kMostWidth);
  EXPECT_EQ(stepped_text(R"("%99999999999d", REC->u1)").size(), PrintSpec::kMostWidth);
}

TEST(PrintSteps, PointersHaveTheFormsOfTheKernel) {
  struct Case {
    const char* print_fmt;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {R"("%p", REC->u8)", "0xfffffffffffffffb"},
      {R"("%px %pK", REC->u1, REC->u1)", "0x85 0x85"},
      {R"("%p", 0)", "(nil)"},
      {R"("%pS %ps", REC->u1, REC->u1)", "0x85 0x85"},  // without symbols
      {R"("%pM", REC->comm)", "INVALIDMAC"},
      {R"("%pI4 %pi4", REC->address, REC->address)", "0.1.2.3 000.001.002.003"},
      {R"("%pI6", REC->address)", "0001:0203:0405:0607:0809:0a0b:0c0d:0e0f"},
      {R"("%pI6c", REC->address)", "1:203:405:607:809:a0b:c0d:e0f"},
      {R"("%pUb", REC->address)", "00010203-0405-0607-0809-0a0b0c0d0e0f"},
      {R"("%pU", REC->address)", "00010203-0405-0607-0809-0a0b0c0d0e0f"},
      {R"("%*ph", 3, REC->address)", "00 01 02"},
      {R"("%*phC %*phD %*phN", 2, REC->address, 2, REC->address, 2, REC->address)", "00:01 00-01 0001"},
      {R"("%*ph", 1000, REC->address)", "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"},
      {R"("%*pbl %*pb", 64, __get_dynamic_array(mask), 12, __get_dynamic_array(mask))", "0-3,8 10f"},
  };
  for (const auto& [print_fmt, expected] : kCases) EXPECT_EQ(stepped_text(print_fmt), expected) << print_fmt;
}

TEST(PrintSteps, FunctionsGiveValues) {
  struct Case {
    const char* print_fmt;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {R"("%llu.%09llu", __print_ns_to_secs(REC->u4), __print_ns_without_secs(REC->u4))", "2.147483653"},
      {R"("%d", __builtin_expect(REC->u1, 1))", "133"},
      {R"("%d", __get_dynamic_array_len(mask))", "8"},
      {R"("%s", __get_bitmask(mask))", "00000000,0000010f"},
      {R"("%s", __get_cpumask(mask))", "0-3,8"},
      {R"("%lx", ((unsigned long *)__get_dynamic_array(mask))[0])", "10f"},
      {R"("%lx", ((unsigned long *)__get_dynamic_array(mask))[1])", "0"},  // beyond the array
      {R"("%x %x", REC->address[15], REC->address[16])", "f 0"},
      {R"("%d %d", *REC->list, *REC->s4)", "-3 -2147483643"},  // for an array, its first element
      {R"("%d %lx", *(u8 *)REC->address + 1, *(unsigned long *)__get_dynamic_array(mask))", "1 10f"},
  };
  for (const auto& [print_fmt, expected] : kCases) EXPECT_EQ(stepped_text(print_fmt), expected) << print_fmt;
}

TEST(PrintSteps, AnUnknownConversionPrintsNothing) {
  EXPECT_EQ(stepped_text(R"("a%yb", REC->u1)"), "ab");
  EXPECT_EQ(stepped_text(R"("end %")"), "end ");
  EXPECT_EQ(stepped_text(R"("end %5")"), "end ");
}

TEST(PrintSteps, MoreArgumentsThanConversionsAreIgnored) {
  EXPECT_EQ(stepped_text(R"("%d", REC->u1, REC->u2)"), "133");
}

}  // namespace
}  // namespace peregrine
