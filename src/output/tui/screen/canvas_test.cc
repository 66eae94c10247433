#include "output/tui/screen/canvas.h"

#include <gtest/gtest.h>

namespace peregrine::tui {
namespace {

TEST(Canvas, CutsWhatDoesNotFit) {
  Canvas canvas(5, 2, false);
  EXPECT_EQ(canvas.put(3, 0, "abc"), 5u);
  canvas.put(0, 7, "nowhere");
  EXPECT_EQ(canvas.text(), "   ab\n\n");
}

TEST(Canvas, ShowsQuestionMarksWhereOnlyAsciiIsKnown) {
  Canvas plain(6, 1, true), wide(6, 1, false);
  plain.put(0, 0, "a→b");
  wide.put(0, 0, "a→b");
  EXPECT_EQ(plain.text(), "a?b\n");
  EXPECT_EQ(wide.text(), "a→b\n");
}

TEST(Canvas, BoxesHaveTheirTitleInTheEdge) {
  Canvas canvas(10, 3, true);
  canvas.box(0, 0, 10, 3, "Keys");
  EXPECT_EQ(canvas.text(), "+-Keys---+\n|        |\n+--------+\n");
}

TEST(Canvas, ScrollBarShowsWhichPart) {
  Canvas canvas(1, 4, true);
  canvas.scroll_bar(0, 4, 50, 50, 100);
  EXPECT_EQ(canvas.text(), ":\n:\n#\n#\n");
}

}  // namespace
}  // namespace peregrine::tui
