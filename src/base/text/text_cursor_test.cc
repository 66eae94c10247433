#include "base/text/text_cursor.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/types.h"

namespace peregrine {
namespace {

// A small grammar: sums of numbers and names, "2 + x", with at most one operator between two.
std::vector<std::string_view> terms(std::string_view text) {
  TextCursor cursor(text);
  std::vector<std::string_view> found;
  do {
    cursor.skip_blanks();
    found.push_back(cursor.take_word());
    cursor.skip_blanks();
  } while (cursor.take('+'));
  if (!cursor.at_end()) found.emplace_back("?");
  return found;
}

TEST(TextCursor, CarriesAGrammar) {
  EXPECT_EQ(terms("2 + x+ y_1"), (std::vector<std::string_view>{"2", "x", "y_1"}));
  EXPECT_EQ(terms("2 - x"), (std::vector<std::string_view>{"2", "?"}));
  EXPECT_EQ(terms(""), std::vector<std::string_view>{""});
}

TEST(TextCursor, TakesOnlyWhatIsNext) {
  TextCursor cursor("a&&b");
  EXPECT_FALSE(cursor.take("&&"));
  EXPECT_TRUE(cursor.take('a'));
  EXPECT_TRUE(cursor.next_is("&&"));
  EXPECT_EQ(cursor.at(), 1u) << "next_is() takes nothing";
  EXPECT_TRUE(cursor.take("&&"));
  EXPECT_EQ(cursor.rest(), "b");
}

TEST(TextCursor, TakesUpToAStop) {
  TextCursor cursor("name,rest");
  EXPECT_EQ(cursor.take_until(",/"), "name");
  EXPECT_EQ(cursor.peek(), ',');
  cursor.take(std::size_t{1});
  EXPECT_EQ(cursor.take_until(",/"), "rest") << "or up to the end";
}

TEST(TextCursor, HasNothingPastTheEnd) {
  TextCursor cursor("a");
  EXPECT_EQ(cursor.take(std::size_t{5}), "a");
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.peek(), '\0');
  EXPECT_FALSE(cursor.take('\0'));
  EXPECT_EQ(cursor.take_word(), "");
  EXPECT_EQ(cursor.take_number<u32>(), std::nullopt);
  cursor.move_to(9);
  EXPECT_EQ(cursor.at(), 1u);
}

TEST(TextCursor, TakesNumbers) {
  TextCursor cursor("10-2f");
  EXPECT_EQ(cursor.take_number<u32>(), 10u);
  EXPECT_TRUE(cursor.take('-'));
  EXPECT_EQ(cursor.take_number<u8>(16), 0x2fu);
  EXPECT_TRUE(cursor.at_end());
  TextCursor large("300");
  EXPECT_EQ(large.take_number<u8>(), std::nullopt);
  EXPECT_EQ(large.at(), 0u) << "stays before what does not fit";
}

TEST(Ascii, DoesNotDependOnTheLocale) {
  EXPECT_TRUE(is_word_character('_') && is_word_character('Z') && is_word_character('0'));
  EXPECT_FALSE(is_word_character('-') || is_word_character('\xe4'));
  EXPECT_TRUE(is_blank(' ') && is_blank('\t') && is_blank('\n'));
  EXPECT_EQ(lower_case("CPU-Ä0"), "cpu-Ä0");
}

}  // namespace
}  // namespace peregrine
