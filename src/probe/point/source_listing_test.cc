#include "probe/point/source_listing.h"

#include <gtest/gtest.h>

#include <expected>
#include <map>
#include <string_view>
#include <utility>

#include "probe/point/line_walk.h"
#include "support/probed_program.h"

namespace peregrine {
namespace {

using support::ProbedProgram;
using Lines = std::set<u32>;

class SourceListingTest : public ::testing::Test {
 protected:
  Result<SourceListing> list(std::string_view range) {
    const auto parsed = parse_line_range(range);
    if (!parsed) return std::unexpected(parsed.error());
    return list_source(program_.information(), *parsed, sources_);
  }

  ProbedProgram program_;
  SourceFinder sources_{program_.source_folder()};
};

TEST_F(SourceListingTest, ShowsAFunctionAndALittleMore) {
  const auto listing = list("work");
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->function, "work");
  EXPECT_EQ(listing->path, program_.source_folder() + "/prog.c") << "where the source was found";
  EXPECT_EQ(listing->base, 8u) << "shown as line 0";
  EXPECT_EQ(listing->first_shown, 0u);
  EXPECT_EQ(listing->begin, 8u);
  EXPECT_EQ(listing->end, 16u) << "three lines after the last with code";
  EXPECT_EQ(listing->probeable, (Lines{8, 10, 12, 13}));
  EXPECT_EQ(listing->text->line(12), "  sum += twice(n);");
}

TEST_F(SourceListingTest, ShowsAWholeFile) {
  const auto listing = list("prog.c");
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->begin, 1u);
  EXPECT_EQ(listing->end, 19u) << "no more than the file has";
  EXPECT_EQ(listing->base, 0u);
  EXPECT_EQ(listing->probeable, (Lines{5, 8, 10, 12, 13, 16, 18}));
}

TEST_F(SourceListingTest, ShowsTheLinesThatWereChosen) {
  struct Case {
    const char* range;
    u32 begin, end;
    Lines probeable;
  };
  for (const Case& each :
       {Case{"work:2-4", 10, 12, {10, 12}}, Case{"work:4+2", 12, 13, {12, 13}}, Case{"work@prog.c:5", 13, 16, {13}},
        Case{"prog.c:9-13", 9, 13, {10, 12, 13}}, Case{"prog.c:18", 18, 19, {18}}}) {
    const auto listing = list(each.range);
    ASSERT_TRUE(listing) << each.range << ": " << listing.error().message;
    EXPECT_EQ(listing->begin, each.begin) << each.range;
    EXPECT_EQ(listing->end, each.end) << each.range;
    EXPECT_EQ(listing->probeable, each.probeable) << each.range;
  }
}

// Its lines are those of the instance, wherever it was inlined.
TEST_F(SourceListingTest, ShowsAnInlinedFunction) {
  const auto listing = list("twice");
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->base, 3u);
  EXPECT_EQ(listing->probeable, (Lines{5}));
}

TEST_F(SourceListingTest, SaysWhyALineCannotHaveAProbe) {
  const auto listing = list("prog.c");
  ASSERT_TRUE(listing);
  constexpr std::pair<u32, std::string_view> kReasons[] = {
      {1, "a comment"}, {2, "empty"}, {3, "no statement starts here"}, {4, "a brace"}, {11, "a comment"}, {12, ""},
      {14, "a brace"},  {99, "empty"}};
  for (const auto& [line, reason] : kReasons) EXPECT_EQ(listing->reason(line), reason) << line;
}

TEST_F(SourceListingTest, SuggestsNearestNameOrLine) {
  struct Case {
    const char *range, *hint;
  };
  for (const Case& each :
       {Case{"wrok", "/bin/prog has no function 'wrok'; did you mean 'work'?"},
        Case{"other.c", "/bin/prog has no file 'other.c'"}, Case{"work:3-3", "work has no code in those lines"},
        Case{"prog.c:50", "prog.c has no code in those lines"}}) {
    const auto listing = list(each.range);
    ASSERT_FALSE(listing) << each.range;
    EXPECT_EQ(listing.error().kind, ErrorKind::NotFound);
    EXPECT_EQ(listing.error().message, "Specified source line is not found") << "linux-perf's words";
    EXPECT_EQ(listing.error().hint, each.hint);
  }
}

TEST(LineWalk, FindsTheFunctionOfAnAddress) {
  const ProbedProgram program;
  const EntryUnit& unit = *program.information().unit(0);
  EXPECT_EQ(function_at(unit, 0x11000).name(), "work");
  EXPECT_EQ(function_at(unit, 0x1102f).name(), "work");
  EXPECT_FALSE(function_at(unit, 0x11030)) << "between functions";
  EXPECT_EQ(function_at(unit, 0x11044).name(), "main");
  EXPECT_FALSE(function_at(unit, 0));
  const DebugEntry work = program.function("work");
  EXPECT_FALSE(inlined_at(work, 0x1100f));
  EXPECT_EQ(inlined_at(work, 0x11010).name(), "twice");
  EXPECT_EQ(inlined_at(work, 0x11017).name(), "twice");
  EXPECT_FALSE(inlined_at(work, 0x11018));
}

TEST(LineWalk, EachAddressHasOneLine) {
  const ProbedProgram program;
  const LineOwners owners(*program.information().unit(0));
  constexpr std::pair<u64, u32> kOwners[] = {{0x11000, 8},  {0x11004, 10}, {0x11008, 10}, {0x11010, 5},
                                             {0x11018, 12}, {0x1103f, 13}, {0x11040, 16}};
  for (const auto& [address, line] : kOwners) {
    const LineOwners::Line owner = owners.find(address);
    ASSERT_NE(owner.file, nullptr) << address;
    EXPECT_EQ(owner.number, line) << address;
    EXPECT_EQ(*owner.file, "/src/prog.c");
  }
  EXPECT_EQ(owners.find(0x20000).file, nullptr);
}

TEST(LineWalk, CodeThatIsInlinedCountsAsTheLineOfTheCall) {
  const ProbedProgram program;
  std::multimap<u32, u64> lines;
  walk_function_lines(program.function("work"),
                      [&](const std::string&, u32 line, u64 address) { lines.emplace(line, address); });
  EXPECT_FALSE(lines.contains(5)) << "a line of the inlined function";
  EXPECT_EQ(lines.count(12), 2u) << "the call, and what is done with its result";
  EXPECT_TRUE(lines.contains(13));
  EXPECT_FALSE(lines.contains(18)) << "another function's";
}

}  // namespace
}  // namespace peregrine
