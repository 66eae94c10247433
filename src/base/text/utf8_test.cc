#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#include "base/text/ascii.h"

namespace peregrine {
namespace {

// According to the table of well-formed sequences in the Unicode standard.
struct CharacterCase {
  std::string_view bytes;
  unsigned length;
  u32 value;
};
constexpr CharacterCase kCharacters[] = {
    {"A", 1, 'A'},
    {std::string_view("\0", 1), 1, 0},
    {"\x7f", 1, 0x7f},
    {"\xc2\x80", 2, 0x80},
    {"\xdf\xbf", 2, 0x7ff},
    {"\xe0\xa0\x80", 3, 0x800},
    {"\xe2\x80\xa6", 3, 0x2026},
    {"\xed\x9f\xbf", 3, 0xd7ff},
    {"\xee\x80\x80", 3, 0xe000},
    {"\xef\xbf\xbf", 3, 0xffff},
    {"\xf0\x90\x80\x80", 4, 0x10000},
    {"\xf0\x9f\x90\xa6", 4, 0x1f426},
    {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
};

TEST(Utf8Characters, DecodesTheFirstAndTheLastCharacterOfEachLength) {
  for (const CharacterCase& each : kCharacters) {
    const std::string text = std::string(each.bytes) + "z";
    ASSERT_EQ(utf8_length(text), each.length) << each.value;
    EXPECT_EQ(utf8_value(text, each.length), each.value);
    EXPECT_TRUE(is_utf8(text));
  }
}

TEST(Utf8Characters, RejectsWhatNoEncoderWrites) {
  for (const std::string_view bytes : {
           "\x80",
           "\xbf",  // the middle of a character
           "\xc0\x80",
           "\xc1\xbf",  // ASCII in two bytes
           "\xe0\x80\x80",
           "\xe0\x9f\xbf",  // too long
           "\xf0\x80\x80\x80",
           "\xf0\x8f\xbf\xbf",
           "\xed\xa0\x80",
           "\xed\xbf\xbf",  // surrogates
           "\xf4\x90\x80\x80",
           "\xf5\x80\x80\x80",  // beyond U+10FFFF
           "\xff",
           "\xfe",
           "\xc3",
           "\xe2\x80",
           "\xf0\x9f\x90",  // cut
           "\xc3z",
           "\xe2\x80z",
           "\xf0\x9f\x90z",
       }) {
    EXPECT_EQ(utf8_length(bytes), 0u);
    EXPECT_FALSE(is_utf8("text " + std::string(bytes)));
  }
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_TRUE(is_utf8(""));
}

TEST(Excerpt, IsTheWholeOfAShortText) {
  const std::string sixty(60, 'x');
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt(sixty), sixty);
  EXPECT_EQ(excerpt(sixty + "y"), sixty + "…");
}

TEST(Excerpt, EndsBetweenCharacters) {
  for (std::size_t before = 57; before <= 60; ++before) {
    const std::string text = std::string(before, 'x') + "\xf0\x9f\x90\xa6" + std::string(10, 'y');
    const std::string shown = excerpt(text);
    EXPECT_TRUE(is_utf8(shown)) << before;
    EXPECT_EQ(shown, std::string(before, 'x') + "…") << before;
  }
  EXPECT_EQ(excerpt(std::string(56, 'x') + "\xf0\x9f\x90\xa6" + std::string(10, 'y')),
            std::string(56, 'x') + "\xf0\x9f\x90\xa6…")
      << "it fits";
}

TEST(Excerpt, IsBoundedForBytesThatAreNoCharacters) {
  EXPECT_LE(excerpt(std::string(1000, '\x80')).size(), 60 + std::strlen("…"));
  EXPECT_GE(excerpt(std::string(1000, '\x80')).size(), 56u);
}

TEST(AsciiCharacters, KnowsNoOtherLetters) {
  for (int code = 0; code < 256; ++code) {
    const char c = static_cast<char>(code);
    const bool digit = std::string_view("0123456789").contains(c);
    const bool upper = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ").contains(c);
    const bool lower = std::string_view("abcdefghijklmnopqrstuvwxyz").contains(c);
    EXPECT_EQ(is_digit(c), digit) << code;
    EXPECT_EQ(is_letter(c), upper || lower) << code;
    EXPECT_EQ(is_word_character(c), digit || upper || lower || c == '_') << code;
    EXPECT_EQ(to_lower(c), upper ? c + 32 : c) << code;
    const std::size_t hex = std::string_view("0123456789abcdef").find(upper ? static_cast<char>(c + 32) : c);
    EXPECT_EQ(hex_digit(c), hex == std::string_view::npos ? -1 : static_cast<int>(hex)) << code;
  }
}

TEST(AsciiCharacters, ComparesWithoutCase) {
  EXPECT_TRUE(equal_any_case("CPU-Cycles", "cpu-cYCLES"));
  EXPECT_TRUE(equal_any_case("", ""));
  EXPECT_FALSE(equal_any_case("cpu", "cpus"));
  EXPECT_FALSE(equal_any_case("[", "{")) << "32 apart, like letters";
  EXPECT_FALSE(equal_any_case("Ä", "ä")) << "that depends on the locale";
  EXPECT_EQ(lower_case("L1-DCACHE_Ä"), "l1-dcache_Ä");
}

}  // namespace
}  // namespace peregrine
