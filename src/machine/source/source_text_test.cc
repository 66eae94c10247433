#include "machine/source/source_text.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(SourcePath, AbsoluteOnesAreBelowTheRootOfSymbols) {
  EXPECT_EQ(source_path("/src/a.c", {}), "/src/a.c");
  EXPECT_EQ(source_path("/src/a.c", {.symfs = "/sysroot"}), "/sysroot/src/a.c");
  EXPECT_EQ(source_path("src/a.c", {.symfs = "/sysroot"}), "src/a.c");
}

TEST(SourcePath, LeadingFoldersAreReplaced) {
  EXPECT_EQ(source_path("/build/x/a.c", {.prefix = "/home"}), "/home/build/x/a.c");
  EXPECT_EQ(source_path("/build/x/a.c", {.prefix = "/home", .prefix_strip = 1}), "/home/x/a.c");
  EXPECT_EQ(source_path("/build/x/a.c", {.prefix = "/home", .prefix_strip = 9}), "/home/a.c") << "the name stays";
  EXPECT_EQ(source_path("x/a.c", {.prefix = "/home"}), "x/a.c");
}

TEST(SourceTexts, LinesHaveNoEndings) {
  const TemporaryFolder folder;
  folder.write("a.c", "one\r\n\ntwo\nlast");
  SourceTexts texts({});
  const auto* lines = texts.find(folder.path("a.c"));
  ASSERT_NE(lines, nullptr);
  EXPECT_EQ(*lines, (std::vector<std::string>{"one", "", "two", "last"}));
}

TEST(SourceTexts, AreReadOnce) {
  const TemporaryFolder folder;
  folder.write("a.c", "one\n");
  SourceTexts texts({});
  const auto* lines = texts.find(folder.path("a.c"));
  folder.write("a.c", "two\n");
  EXPECT_EQ(texts.find(folder.path("a.c")), lines);
  EXPECT_EQ(lines->front(), "one");
}

TEST(SourceTexts, ThatCannotBeReadStayUnknown) {
  const TemporaryFolder folder;
  SourceTexts texts({});
  EXPECT_EQ(texts.find(folder.path("none.c")), nullptr);
  EXPECT_EQ(texts.find(folder.path()), nullptr) << "a folder is no text";
  folder.write("none.c", "now\n");
  EXPECT_EQ(texts.find(folder.path("none.c")), nullptr);
}

}  // namespace
}  // namespace peregrine
