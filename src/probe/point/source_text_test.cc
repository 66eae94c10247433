#include "probe/point/source_text.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

TEST(SourceText, CountsLinesFromOne) {
  const TemporaryFolder folder;
  const auto text = SourceText::read(folder.write("a.c", "first\n\nthird\n"));
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->line_count(), 3u);
  EXPECT_EQ(text->line(1), "first");
  EXPECT_EQ(text->line(2), "");
  EXPECT_EQ(text->line(3), "third");
  EXPECT_EQ(text->line(0), "");
  EXPECT_EQ(text->line(4), "");
}

TEST(SourceText, TheLastLineNeedsNoEnd) {
  const TemporaryFolder folder;
  EXPECT_EQ(SourceText::read(folder.write("a.c", "one\ntwo"))->line(2), "two");
  EXPECT_EQ(SourceText::read(folder.write("empty.c", ""))->line_count(), 0u);
}

TEST(SourceText, OnlyFilesAreRead) {
  const TemporaryFolder folder;
  const auto missing = SourceText::read(folder.path("none.c"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message, folder.path("none.c") + ": no such source file");
  EXPECT_FALSE(SourceText::read(folder.path()));
}

class SourceFinderTest : public ::testing::Test {
 protected:
  SourceFinderTest() {
    std::filesystem::create_directories(folder_.path("net/core"));
    folder_.write("net/core/dev.c", "int dev;\n");
    folder_.write("main.c", "int main;\n");
  }
  TemporaryFolder folder_;
};

TEST_F(SourceFinderTest, FindsFilesAsNamed) {
  const SourceFinder finder;
  EXPECT_EQ(finder.find(folder_.path("main.c")).value(), folder_.path("main.c"));
  const auto missing = finder.find("/nowhere/main.c");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "source file '/nowhere/main.c' not found");
  EXPECT_EQ(missing.error().hint, "pass its folder with -s");
}

// The debug information contains the folders of the machine that built the program.
TEST_F(SourceFinderTest, LeavesOutLeadingFoldersBelowTheFolderOfTheUser) {
  const SourceFinder finder(folder_.path());
  EXPECT_EQ(finder.find("main.c").value(), folder_.path("main.c"));
  EXPECT_EQ(finder.find("/main.c").value(), folder_.path("main.c"));
  EXPECT_EQ(finder.find("/build/linux-6.1/net/core/dev.c").value(), folder_.path("net/core/dev.c"));
  const auto missing = finder.find("/build/lost.c");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message, "source file '/build/lost.c' not found, nor in " + folder_.path());
}

TEST_F(SourceFinderTest, TakesTheNamedFileWhenTheFolderHasNone) {
  const TemporaryFolder other;
  const SourceFinder finder(other.path());
  EXPECT_EQ(finder.find(folder_.path("main.c")).value(), folder_.path("main.c"));
}

TEST_F(SourceFinderTest, ReadsEachTextOnce) {
  SourceFinder finder(folder_.path());
  const auto first = finder.text("/src/main.c"), second = finder.text("main.c");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ((*first)->line(1), "int main;");
  EXPECT_FALSE(finder.text("lost.c"));
}

TEST(LazyMatch, TakesNoNoticeOfBlanks) {
  EXPECT_TRUE(lazy_match("  if (a == b)  ", "if(a==b)"));
  EXPECT_TRUE(lazy_match("x=f( 1 );", "x = f(*);"));
  EXPECT_TRUE(lazy_match("\ttcp_push(sk, flags);", "tcp_push(*"));
  EXPECT_FALSE(lazy_match("\treturn tcp_push(sk);", "tcp_push(*")) << "a pattern is of the whole line";
  EXPECT_TRUE(lazy_match("   ", ""));
  EXPECT_FALSE(lazy_match("x", ""));
}

TEST(PathEndsWith, ComparesWholeNamesOfFolders) {
  EXPECT_TRUE(path_ends_with("/src/net/tcp.c", "tcp.c"));
  EXPECT_TRUE(path_ends_with("/src/net/tcp.c", "net/tcp.c"));
  EXPECT_TRUE(path_ends_with("/src/net/tcp.c", "./net/tcp.c"));
  EXPECT_TRUE(path_ends_with("/src/net/tcp.c", "/src/net/tcp.c"));
  EXPECT_FALSE(path_ends_with("/src/net/tcp.c", "cp.c"));
  EXPECT_FALSE(path_ends_with("tcp.c", "net/tcp.c"));
}

}  // namespace
}  // namespace peregrine
