#include "output/tui/screen/canvas.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace peregrine::tui {
namespace {

TEST(Canvas, CutsWhatDoesNotFit) {
  Canvas canvas(5, 2, false);
  EXPECT_EQ(canvas.put(3, 0, "abc"), 5u);
  canvas.put(0, 7, "nowhere");
  EXPECT_EQ(canvas.text(), "   ab\n\n");
}

TEST(Canvas, PutsAtMostAsManyCharactersAsAllowed) {
  Canvas canvas(8, 1, false);
  EXPECT_EQ(canvas.put(1, 0, "a→b→c", Style::Plain, 3), 4u);
  EXPECT_EQ(canvas.put(4, 0, "none", Style::Plain, 0), 4u);
  EXPECT_EQ(canvas.put(4, 0, ""), 4u);
  EXPECT_EQ(canvas.text(), " a→b\n");
}

TEST(Canvas, ShowsQuestionMarksWhereOnlyAsciiIsKnown) {
  Canvas plain(6, 1, true), wide(6, 1, false);
  plain.put(0, 0, "a→b");
  wide.put(0, 0, "a→b");
  EXPECT_EQ(plain.text(), "a?b\n");
  EXPECT_EQ(wide.text(), "a→b\n");
}

// Names in a recording are untrusted; terminal control characters must not become cells.
TEST(Canvas, ShowsQuestionMarksForControlsAndInvalidBytes) {
  struct Case {
    const char* what;
    std::string_view text, shown;
  };
  for (const Case& test : {
           Case{"escape", "a\x1b[2J", "a?[2J"},
           Case{"delete", "a\x7f", "a?"},
           Case{"U+009B, which some terminals take for ESC [", "a\xc2\x9b", "a?"},
           Case{"overlong escape", "a\xc0\x9b", "a??"},
           Case{"direction override", "a\u202eb", "a?b"},
           Case{"lone continuation byte", "a\x80z", "a?z"},
           Case{"first byte without the second", "a\xc3(", "a?("},
           Case{"character that the text cuts off", "a\xe2\x86", "a??"},
           Case{"surrogate", "\xed\xa0\x80z", "???z"},
           Case{"beyond U+10FFFF", "\xf4\x90\x80\x80", "????"},
           Case{"two, three and four bytes", "é→😀", "é→😀"},
       }) {
    SCOPED_TRACE(test.what);
    Canvas canvas(8, 1, false);
    canvas.put(0, 0, test.text);
    EXPECT_EQ(canvas.text(), std::string(test.shown) + "\n");
  }
}

TEST(Canvas, EncodesCharactersOfEachLength) {
  std::string text;
  for (const char32_t glyph : {U'\x7f', U'\u0080', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010ffff'})
    append_utf8(text, glyph);
  EXPECT_EQ(text, "\x7f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff");
}

TEST(Canvas, PaintsCellsWithoutChangingTheirCharacters) {
  Canvas canvas(4, 2, true);
  canvas.put(0, 0, "abcd", Style::Hot);
  canvas.paint(1, 0, 2, Style::Selected);
  canvas.paint(3, 1, 9, Style::Selected);  // only one cell is left there
  canvas.paint(0, 2, 4, Style::Selected);  // there is no such line
  EXPECT_EQ(canvas.text(), "abcd\n\n");
  EXPECT_EQ(canvas.at(0, 0), (Cell{U'a', Style::Hot}));
  EXPECT_EQ(canvas.at(1, 0), (Cell{U'b', Style::Selected}));
  EXPECT_EQ(canvas.at(3, 0), (Cell{U'd', Style::Hot}));
  EXPECT_EQ(canvas.at(3, 1).style, Style::Selected);
}

TEST(Canvas, FillsUpToTheEdge) {
  Canvas canvas(4, 1, true);
  canvas.fill(2, 0, 100, Style::Title, U'=');
  canvas.fill(9, 0, 1, Style::Title, U'!');
  EXPECT_EQ(canvas.text(), "  ==\n");
}

TEST(Canvas, BoxesHaveTheirTitleInTheEdge) {
  Canvas canvas(10, 3, true);
  canvas.box(0, 0, 10, 3, "Keys");
  EXPECT_EQ(canvas.text(), "+-Keys---+\n|        |\n+--------+\n");
}

TEST(Canvas, BoxesCutTheirTitleAndHideWhatIsBelow) {
  Canvas canvas(7, 3, false);
  for (unsigned y = 0; y < 3; ++y) canvas.put(0, y, "xxxxxxx");
  canvas.box(1, 0, 6, 3, "long");
  EXPECT_EQ(canvas.text(), "x┌─lo─┐\nx│    │\nx└────┘\n");
}

TEST(Canvas, BoxesNeedTwoLinesAndTwoColumns) {
  for (const auto [width, height] : {std::pair{1u, 3u}, std::pair{3u, 1u}, std::pair{0u, 0u}}) {
    Canvas canvas(4, 3, true);
    canvas.box(0, 0, width, height, "x");
    EXPECT_EQ(canvas.text(), "\n\n\n") << width << " " << height;
  }
}

TEST(Canvas, ScrollBarShowsWhichPart) {
  struct Case {
    std::size_t first, shown, count;
    const char* bar;
  };
  for (const Case& test : {Case{0, 50, 100, "##::"}, Case{25, 50, 100, ":##:"}, Case{50, 50, 100, "::##"},
                           Case{0, 4, 1'000'000, "#:::"}, Case{999'996, 4, 1'000'000, ":::#"}}) {
    Canvas canvas(1, 4, true);
    canvas.scroll_bar(0, 4, test.first, test.shown, test.count);
    std::string column;
    for (unsigned y = 0; y < 4; ++y) column += static_cast<char>(canvas.at(0, y).glyph);
    EXPECT_EQ(column, test.bar) << test.first << " of " << test.count;
  }
}

TEST(Canvas, NeedsNoScrollBarForWhatIsSeenWhole) {
  Canvas canvas(2, 2, true);
  canvas.scroll_bar(0, 2, 0, 2, 2);
  canvas.scroll_bar(0, 0, 0, 0, 9);
  EXPECT_EQ(canvas.text(), "\n\n");
  Canvas nothing(0, 0, true);
  nothing.scroll_bar(0, 2, 0, 2, 9);
  EXPECT_EQ(nothing.text(), "");
}

}  // namespace
}  // namespace peregrine::tui
