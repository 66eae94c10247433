#include "base/text/printable_text.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(PrintableText, ReplacesOnlyTheEndOfABuffer) {
  TextBuffer out;
  out.room(64);
  out.put("a\n");
  const std::size_t start = out.size();
  out.put("b\n\xff");
  make_printable(out, start);
  EXPECT_EQ(out.view(), "a\nb\\x0a\\xff");
  make_printable(out, start);
  EXPECT_EQ(out.view(), "a\nb\\x0a\\xff");
}

TEST(PrintableText, LinesOfFilesKeepTheirTabs) {
  EXPECT_EQ(printable_line("\tint gr\xc3\xb6\xc3\x9f\x65;\t// x\r"), "\tint gr\xc3\xb6\xc3\x9f\x65;\t// x");
  EXPECT_EQ(printable_line("a\x1b[2J\rb\x9b\xe2\x80\xae\xe2\x81\xa6"),
            "a\\x1b[2J\\x0db\\x9b\\xe2\\x80\\xae\\xe2\\x81\\xa6");
  EXPECT_EQ(printable_line(""), "");
}

}  // namespace
}  // namespace peregrine
