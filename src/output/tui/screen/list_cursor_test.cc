#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/test_keys.h"

#include <gtest/gtest.h>

namespace peregrine::tui {
namespace {

TEST(ListCursor, WindowFollowsTheCursor) {
  ListCursor cursor;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(cursor.move(of(Key::Code::Down), 20, 4));
  EXPECT_EQ(cursor.at, 5u);
  EXPECT_EQ(cursor.first, 2u);
  cursor.move(of(Key::Code::Home), 20, 4);
  EXPECT_EQ(cursor.first, 0u);
}

TEST(ListCursor, StopsAtBothEnds) {
  ListCursor cursor;
  cursor.move(of(Key::Code::Up), 3, 4);
  EXPECT_EQ(cursor.at, 0u);
  cursor.move(of(Key::Code::PageDown), 3, 4);
  cursor.move(of(Key::Code::Down), 3, 4);
  EXPECT_EQ(cursor.at, 2u);
  EXPECT_EQ(cursor.first, 0u);
  cursor.settle(0, 4);
  EXPECT_EQ(cursor.at, 0u);
}

TEST(ListCursor, LeavesOtherKeysAlone) {
  ListCursor cursor;
  EXPECT_FALSE(cursor.move({.code = Key::Code::Char, .glyph = U'x'}, 3, 4));
  EXPECT_TRUE(cursor.move({.code = Key::Code::Char, .glyph = U' '}, 9, 4));
  EXPECT_EQ(cursor.at, 3u);
}

}  // namespace
}  // namespace peregrine::tui
