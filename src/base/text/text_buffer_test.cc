#include "base/text/text_buffer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace peregrine {
namespace {

// The result of `put` on an empty buffer.
template <class Put>
std::string buffered(const Put& put) {
  TextBuffer text;
  text.room(256);
  put(text);
  return std::string(text.view());
}

// As formatted by the C library.
template <class Number>
std::string printf_text(const char* format, unsigned width, Number number) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, format, static_cast<int>(width), number);
  return std::string(text, static_cast<std::size_t>(size));
}

constexpr u64 kSomeNumbers[] = {0,       1,         9,           10,       99,           100,          12345,
                                999'999, 1'000'000, 0xffff'ffff, 1u << 31, u64{1} << 53, u64{1} << 63, ~u64{0} - 1,
                                ~u64{0}};

TEST(TextBuffer, FormatsUnsignedNumbersAsPrintf) {
  for (const u64 number : kSomeNumbers)
    for (const unsigned width : {0u, 1u, 5u, 20u, 32u}) {
      const auto value = static_cast<unsigned long long>(number);
      EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_decimal(number, width); }),
                printf_text("%*llu", width, value));
      EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_decimal(number, width, '0'); }),
                printf_text("%0*llu", width, value));
      EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_hex(number, width); }), printf_text("%*llx", width, value));
      EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_hex(number, width, '0'); }),
                printf_text("%0*llx", width, value));
      EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_hex_prefixed(number); }), printf_text("%#*llx", 0, value));
    }
}

TEST(TextBuffer, FormatsSignedNumbersAsPrintf) {
  for (const u64 magnitude : kSomeNumbers)
    for (const i64 number : {static_cast<i64>(magnitude), static_cast<i64>(~magnitude + 1)})
      for (const unsigned width : {0u, 1u, 5u, 20u, 32u}) {
        const auto value = static_cast<long long>(number);
        EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_signed(number, width); }),
                  printf_text("%*lld", width, value));
        EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_signed(number, width, '0'); }),
                  printf_text("%0*lld", width, value));
      }
}

TEST(TextBuffer, WritesSixDigitsWithZeroes) {
  for (const u32 number : {0u, 1u, 99u, 100u, 12'345u, 100'000u, 999'999u})
    EXPECT_EQ(buffered([&](TextBuffer& text) { text.put_six_digits(number); }), printf_text("%0*u", 6, number));
}

// Short texts are copied as two overlapping blocks, so every length is tested.
TEST(TextBuffer, CopiesTextsOfAnyLength) {
  std::string source;
  for (std::size_t length = 0; length <= 200; ++length) {
    EXPECT_EQ(buffered([&](TextBuffer& text) {
                text.put('<');
                text.put(source);
                text.put('>');
              }),
              "<" + source + ">");
    source += static_cast<char>('a' + length % 26);
  }
}

TEST(TextBuffer, CopiesFromPaddedTexts) {
  const std::string source(200, 'x');
  for (const std::size_t length : {0u, 1u, 31u, 32u, 33u, 64u, 100u})
    EXPECT_EQ(buffered([&](TextBuffer& text) {
                text.put_padded(source.data(), length);
                text.put('|');
              }),
              std::string(length, 'x') + "|");
}

TEST(TextBuffer, AlignsTexts) {
  EXPECT_EQ(buffered([](TextBuffer& text) { text.put_right("abc", 5); }), "  abc");
  EXPECT_EQ(buffered([](TextBuffer& text) { text.put_left("abc", 5); }), "abc  ");
  EXPECT_EQ(buffered([](TextBuffer& text) { text.put_right("abcdef", 5); }), "abcdef") << "nothing is cut";
  EXPECT_EQ(buffered([](TextBuffer& text) { text.put_left("abcdef", 5); }), "abcdef");
  EXPECT_EQ(buffered([](TextBuffer& text) { text.fill('.', 3); }), "...");
}

TEST(TextBuffer, KeepsItsTextWhenItGrows) {
  TextBuffer text;
  std::string expected;
  for (unsigned i = 0; i < 20'000; ++i) {
    text.room(16);
    text.put_decimal(i);
    text.put(',');
    expected += std::to_string(i) + ',';
  }
  EXPECT_EQ(text.view(), expected);
  EXPECT_GE(text.capacity(), expected.size());
}

TEST(TextBuffer, IsUsedAgainWithoutAllocating) {
  TextBuffer text;
  EXPECT_EQ(text.view(), "");
  text.room(1 << 20);
  text.fill('x', 1 << 20);
  const std::size_t capacity = text.capacity();
  text.clear();
  EXPECT_EQ(text.size(), 0u);
  text.room(1 << 20);
  EXPECT_EQ(text.capacity(), capacity);
  text.put("one,two");
  text.truncate(3);
  EXPECT_EQ(text.view(), "one");
}

// The fast method: pieces of a line at a position that the caller keeps.
TEST(TextBuffer, TakesPiecesAtAPlaceOfTheCaller) {
  TextBuffer text;
  text.room(64);
  text.put("cpu ");
  char* place = text.end();
  place = TextBuffer::decimal_at(place, 7, 3, '0');
  *place++ = ' ';
  place = TextBuffer::hex_at(place, 0xbeef, 6, ' ');
  place = text.room_at(place, 1 << 18);
  place = TextBuffer::signed_at(place, -5, 4, '0');
  text.end_at(place);
  EXPECT_EQ(text.view(), "cpu 007   beef-005");
  EXPECT_GE(text.capacity(), std::size_t{1} << 18);
}

}  // namespace
}  // namespace peregrine
