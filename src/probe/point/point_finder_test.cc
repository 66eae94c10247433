#include "probe/point/point_finder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/probed_program.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {
namespace {

using support::ProbedProgram;

class PointFinderTest : public ::testing::Test {
 protected:
  // The places of a probe definition: "NAME in SYMBOL+OFFSET" for each, or the message and its hint.
  std::string found(std::string_view definition, const PointOptions& options = {}) {
    points_.clear();
    const auto place = parse_probe_place(definition);
    if (!place) return place.error().message;
    SourceFinder sources(program_.source_folder());
    auto points = PointFinder(program_.information(), sources, options).find(*place);
    if (!points) return points.error().message + '\n' + points.error().hint;
    points_ = std::move(*points);
    std::string text;
    for (const ProbePoint& point : points_)
      text += fmt::format("{}{} in {}+{}", text.empty() ? "" : ", ", point.name, point.symbol, point.offset());
    return text;
  }
  // The hint for a place that is not found, after checking its message.
  std::string hint(std::string_view definition, const PointOptions& options = {}) {
    const std::string text = found(definition, options);
    const std::string message = fmt::format("Probe point '{}' not found in /bin/prog\n", definition);
    EXPECT_TRUE(text.starts_with(message)) << text;
    return text.substr(std::min(message.size(), text.size()));
  }

  ProbedProgram program_;
  std::vector<ProbePoint> points_;
};

TEST_F(PointFinderTest, AFunctionIsProbedAtItsEntry) {
  EXPECT_EQ(found("work"), "work in work+0");
  EXPECT_EQ(points_[0].address, ProbedProgram::kWork);
  EXPECT_EQ(points_[0].entry, ProbedProgram::kWork);
  EXPECT_FALSE(points_[0].inlined);
  EXPECT_FALSE(points_[0].skipped_prologue);
  EXPECT_EQ(found("work@prog.c"), "work in work+0");
  EXPECT_EQ(found("work%return"), "work in work+0");
}

TEST_F(PointFinderTest, AnOffsetMustBeWithinTheFunction) {
  EXPECT_EQ(found("work+4"), "work in work+4");
  EXPECT_EQ(found("work+0x2f"), "work in work+47");
  EXPECT_EQ(found("work+48"), "work has only 48 bytes: offset 48 is too large\n");
  EXPECT_EQ(found("twice+7"), "twice in work+23") << "of the inlined code";
  EXPECT_EQ(found("twice+8"), "twice has only 8 bytes: offset 8 is too large\n");
}

TEST_F(PointFinderTest, AnInlinedFunctionIsProbedWhereItIsInlined) {
  EXPECT_EQ(found("twice"), "twice in work+16");
  EXPECT_TRUE(points_[0].inlined);
  EXPECT_EQ(points_[0].scope.tag(), DwarfTag::InlinedSubroutine) << "its variables are those of the instance";
  EXPECT_EQ(points_[0].function.name(), "work");
  EXPECT_EQ(hint("twice", {.inlines = false}), "twice is always inlined, and --no-inlines omits inlined code");
}

TEST_F(PointFinderTest, LinesCountFromTheFunctionOrInTheFile) {
  EXPECT_EQ(found("work:5"), "work in work+32");
  EXPECT_EQ(found("@prog.c:13"), "work in work+32");
  EXPECT_EQ(found("prog.c:13"), "work in work+32");
  EXPECT_EQ(found("prog.c:8"), "work in work+0") << "the line of the declaration is the entry";
  EXPECT_EQ(found("main:2"), "main in _ZN3app4mainEv+4");
}

// The call has the address of the inlined line, and a hit there is shown as that line.
TEST_F(PointFinderTest, ALineIsProbedWhereTheAddressIsItsOwn) {
  EXPECT_EQ(found("work:4"), "work in work+24") << "not at the call, +16";
  EXPECT_EQ(found("prog.c:5"), "twice in work+16");
}

TEST_F(PointFinderTest, PatternsMatchLinesOfTheSource) {
  EXPECT_EQ(found("work;return*"), "work in work+32");
  EXPECT_EQ(points_[0].matched_line, 5u) << "counted from the function";
  EXPECT_EQ(found("prog.c;return work*"), "main in _ZN3app4mainEv+4");
  EXPECT_EQ(points_[0].matched_line, 18u) << "of the file";
  EXPECT_EQ(found("work;nothing like it"), "Probe point 'work' not found in /bin/prog\nno line matches the pattern");
  EXPECT_EQ(found("work;// adds"), "Probe point 'work' not found in /bin/prog\nthe matching lines have no code");
}

TEST_F(PointFinderTest, GlobsFindAllFunctions) {
  EXPECT_EQ(found("*"), "twice in work+16, work in work+0, main in _ZN3app4mainEv+0");
  EXPECT_EQ(found("[mw]*"), "work in work+0, main in _ZN3app4mainEv+0");
  EXPECT_EQ(found("*", {.most = 2}), "'*' matches more than 2 places\nraise the limit with --max-probes");
  EXPECT_EQ(found("*", {.most = 3}), "twice in work+16, work in work+0, main in _ZN3app4mainEv+0");
}

TEST_F(PointFinderTest, FunctionsAreCalledByTheirNamesInSourceAndSymbols) {
  for (const char* name : {"main", "_ZN3app4mainEv", "app::main", "app::main()"})
    EXPECT_TRUE(is_called(program_.function("main"), name)) << name;
  for (const char* name : {"", "mai", "app::mai", "app::main(int)", "other::main", "ma*"})
    EXPECT_FALSE(is_called(program_.function("main"), name)) << name;
}

TEST_F(PointFinderTest, SuggestsNearestNameOrLine) {
  EXPECT_EQ(hint("wrok"), "did you mean 'work'?");
  EXPECT_EQ(hint("@other.c:3"), "no source file 'other.c' in the debug information");
  EXPECT_EQ(hint("work@other.c"), "no function 'work' in source file 'other.c'");
  EXPECT_EQ(hint("@prog.c:11"), "that line has no code; the nearest lines with code are 10 and 12");
  EXPECT_EQ(hint("@prog.c:99"), "that line has no code; the nearest line with code is 18");
  EXPECT_EQ(hint("@prog.c:1"), "that line has no code; the nearest line with code is 3");
  EXPECT_EQ(hint("@prog.c:3"), "that line shares its code with another: try prog.c:5");
  EXPECT_EQ(hint("work:3"), "that line has no code; lines of work with code: 0, 2, 4-5");
}

TEST_F(PointFinderTest, NamesTheProgramAsTheUserDid) {
  EXPECT_TRUE(found("wrok", {.program = "./prog"}).starts_with("Probe point 'wrok' not found in ./prog\n"));
}

TEST(PointsWithVariables, AreBehindThePrologueOfUnoptimizedPrograms) {
  struct Case {
    const char* what;
    std::string producer;
    bool marked;
    PointOptions options;
    const char* definition;
    u64 address;
  };
  const PointOptions kWanted{.wants_variables = true};
  const Case cases[] = {
      {"no variables", "clang", false, {}, "work", 0x11000},
      {"the second line", "clang", false, kWanted, "work", 0x11004},
      {"the line that is marked", "clang", true, kWanted, "work", 0x11010},
      {"GCC without optimization", "GNU C17 12.2.0 -g", false, kWanted, "work", 0x11004},
      {"GCC -O0", "GNU C17 12.2.0 -O2 -O0", false, kWanted, "work", 0x11004},
      {"optimized", "GNU C17 12.2.0 -g -O2", false, kWanted, "work", 0x11000},
      {"a chosen offset", "clang", false, kWanted, "work+1", 0x11001},
      {"a return", "clang", false, kWanted, "work%return", 0x11000},
      {"the kernel", "clang", false, {.wants_variables = true, .of_program = false}, "work", 0x11000},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    const ProbedProgram program(each.producer, each.marked);
    SourceFinder sources;
    const auto points =
        PointFinder(program.information(), sources, each.options).find(*parse_probe_place(each.definition));
    ASSERT_TRUE(points) << points.error().message;
    ASSERT_EQ(points->size(), 1u);
    EXPECT_EQ(points->front().address, each.address);
    EXPECT_EQ(points->front().entry, ProbedProgram::kWork);
    if (each.address > ProbedProgram::kWork + 1) EXPECT_TRUE(points->front().skipped_prologue);
  }
}

TEST(FunctionNames, AreThoseThatCanBeProbed) {
  const ProbedProgram program;
  EXPECT_EQ(function_names(program.information()), (std::vector<std::string>{"main", "twice", "work"}));
}

}  // namespace
}  // namespace peregrine
