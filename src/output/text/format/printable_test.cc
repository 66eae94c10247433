#include "output/text/format/printable.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(Printable, LeavesTextAlone) {
  EXPECT_TRUE(is_printable("std::vector<int>::push_back"));
  EXPECT_TRUE(is_printable("größe 名前"));
  EXPECT_EQ(printable("größe 名前"), "größe 名前");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_FALSE(is_printable("\x1b[2J"));
  EXPECT_EQ(printable("\x1b[2Jx\n"), "\\x1b[2Jx\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as a C1 code
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xaeb");  // right-to-left override
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Printable, LinesKeepTheirShape) {
  EXPECT_FALSE(has_controls("load 7:\n\tmain (caf\xc3\xa9)\n"));
  EXPECT_FALSE(has_controls({}));
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      EXPECT_FALSE(has_controls(text));
      text[at] = '\x1b';
      EXPECT_TRUE(has_controls(text)) << at << " of " << size;
    }
  }
  EXPECT_EQ(without_controls("a\x1b[2J\tb\n\x7f\xc2\x9bz\xff"), "a\\x1b[2J\tb\n\\x7f\\xc2\\x9bz\xff");
  EXPECT_EQ(without_controls("caf\xc2\xa9 \xc2"), "caf\xc2\xa9 \xc2");
  // Direction overrides and isolates: U+202E, U+2066.
  EXPECT_TRUE(has_controls("a\xe2\x80\xae"));
  EXPECT_EQ(without_controls("a\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa6\xe2\x80"),
            "a\\xe2\\x80\\xae\\xe2\\x81\\xa6\xe2\x80\xa6\xe2\x80");
}

}  // namespace
}  // namespace peregrine
