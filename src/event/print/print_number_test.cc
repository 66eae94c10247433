#include "event/print/print_number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>

namespace peregrine {
namespace {

std::string printed_number(const PrintSpec& spec, u64 value) {
  TextBuffer out;
  put_number(out, spec, value);
  return std::string(out.view());
}

std::string printed_text(const PrintSpec& spec, std::string_view text) {
  TextBuffer out;
  put_text(out, spec, text);
  return std::string(out.view());
}

// The conversion in C's syntax, such as "%-#6.3llx".
std::string c_format(const PrintSpec& spec) {
  std::string format = "%";
  for (const auto& [is_set, flag] : {std::pair{spec.left, '-'}, {spec.plus, '+'}, {spec.blank, ' '}})
    if (is_set) format += flag;
  for (const auto& [is_set, flag] : {std::pair{spec.alternate, '#'}, {spec.zero, '0'}})
    if (is_set) format += flag;
  if (spec.width > 0) format += fmt::format("{}", spec.width);
  if (spec.precision >= 0) format += fmt::format(".{}", spec.precision);
  format += spec.bytes == 1 ? "hh" : spec.bytes == 2 ? "h" : spec.bytes == 8 ? "ll" : "";
  return format + spec.conversion;
}

// The C library's output for it.
std::string c_text(const PrintSpec& spec, u64 value) {
  int (*const print)(char*, std::size_t, const char*, ...) = &std::snprintf;
  char text[128];
  const std::string format = c_format(spec);
  const int length = spec.bytes == 8 ? print(text, sizeof text, format.c_str(), value)
                                     : print(text, sizeof text, format.c_str(), static_cast<u32>(value));
  return {text, static_cast<std::size_t>(length)};
}

// 32 combinations of flags, 3 widths, 3 precisions, 6 conversions and 4 sizes, each with extreme numbers.
TEST(PrintNumber, EqualsThePrintfOfC) {
  constexpr u64 kValues[] = {0,      1,          7,          8,          255,          0x7f,    0x80,
                             0x8000, 0x7fffffff, 0x80000000, 0xffffffff, u64{1} << 63, ~u64{0}, 1234567890123};
  for (unsigned flags = 0; flags < 32; ++flags)
    for (const u32 width : {0u, 3u, 24u})
      for (const i32 precision : {-1, 0, 21})
        for (const char conversion : {'d', 'i', 'u', 'x', 'X', 'o'})
          for (const u8 bytes : {u8{1}, u8{2}, u8{4}, u8{8}}) {
            const PrintSpec spec{.left = (flags & 1) != 0,
                                 .plus = (flags & 2) != 0,
                                 .blank = (flags & 4) != 0,
                                 .alternate = (flags & 8) != 0,
                                 .zero = (flags & 16) != 0,
                                 .width = width,
                                 .precision = precision,
                                 .conversion = conversion,
                                 .bytes = bytes};
            for (const u64 value : kValues)
              ASSERT_EQ(printed_number(spec, value), c_text(spec, value)) << c_format(spec) << " of " << value;
          }
}

TEST(PrintNumber, PrintsTheLowBytesOnly) {
  const PrintSpec byte{.conversion = 'd', .bytes = 1};
  EXPECT_EQ(printed_number(byte, 0x1ff), "-1");
  EXPECT_EQ(printed_number(byte, 0x17f), "127");
  EXPECT_EQ(printed_number({.conversion = 'x', .bytes = 2}, 0x12345678), "5678");
  // The most negative number has no positive counterpart.
  EXPECT_EQ(printed_number({.conversion = 'd', .bytes = 8}, u64{1} << 63), "-9223372036854775808");
}

TEST(PrintNumber, IsAsWideAsTheLimit) {
  PrintSpec spec{.width = PrintSpec::kMostWidth, .conversion = 'u'};
  EXPECT_EQ(printed_number(spec, 5), std::string(PrintSpec::kMostWidth - 1, ' ') + '5');
  spec.width = 0;
  spec.precision = PrintSpec::kMostWidth;
  EXPECT_EQ(printed_number(spec, 5), std::string(PrintSpec::kMostWidth - 1, '0') + '5');
}

TEST(PrintText, IsCutToThePrecisionAndPaddedToTheWidth) {
  struct Case {
    PrintSpec spec;
    std::string_view text, expected;
  };
  const Case cases[] = {
      {{}, "bash", "bash"},
      {{}, "", ""},
      {{.width = 6}, "bash", "  bash"},
      {{.left = true, .width = 6}, "bash", "bash  "},
      {{.width = 3}, "bash", "bash"},
      {{.precision = 2}, "bash", "ba"},
      {{.precision = 0}, "bash", ""},
      {{.precision = 9}, "bash", "bash"},
      {{.width = 4, .precision = 1}, "bash", "   b"},
      {{.left = true, .width = 4, .precision = 1}, "bash", "b   "},
      {{.width = 3, .precision = 0}, "bash", "   "},
  };
  for (const auto& [spec, text, expected] : cases)
    EXPECT_EQ(printed_text(spec, text), expected) << spec.width << '.' << spec.precision;
}

TEST(PrintText, AppendsToWhatTheBufferHas) {
  TextBuffer out;
  put_text(out, {.width = 3}, "a");
  put_text(out, {}, "b");
  put_number(out, {.conversion = 'd'}, 7);
  EXPECT_EQ(out.view(), "  ab7");
}

TEST(PrintSpecification, IsPlainWithoutFlagsWidthAndPrecision) {
  EXPECT_TRUE(PrintSpec{.conversion = 'd'}.plain());
  for (const PrintSpec& spec :
       {PrintSpec{.left = true}, PrintSpec{.plus = true}, PrintSpec{.blank = true}, PrintSpec{.alternate = true},
        PrintSpec{.zero = true}, PrintSpec{.width = 1}, PrintSpec{.precision = 0}})
    EXPECT_FALSE(spec.plain()) << c_format(spec);
}

}  // namespace
}  // namespace peregrine
