#include "cli/help/program_manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace peregrine {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Command kShown{.name = "echo", .summary = "Say it"};
constexpr Command kHidden{.name = "secret", .summary = "Hide it", .shown = Shown::Hidden};
constexpr const Command* kBoth[] = {&kShown, &kHidden};
constexpr Option kLoud[] = {{.name = "loud", .letter = 'l', .help = "shout"}};

TEST(ProgramManual, ListsCommandsAndGlobalOptions) {
  const std::string page = manual_text(program_manual("falcon", kBoth, kLoud), 80);
  EXPECT_THAT(page, HasSubstr("falcon - "));
  EXPECT_THAT(page, HasSubstr("COMMANDS\n       echo\n           Say it\n"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
  EXPECT_THAT(page, HasSubstr("       -l, --loud\n           shout"));
  EXPECT_THAT(page, HasSubstr("falcon record -g ./program")) << "examples use the program's name";
  EXPECT_THAT(page, HasSubstr("SEE ALSO\n       falcon-echo(1)"));
  EXPECT_THAT(manual_troff(program_manual("falcon", kBoth, kLoud), "1"), HasSubstr(".TH \"FALCON\" \"1\""));
}

TEST(Manual, NotesAreSectionsAroundTheExamples) {
  constexpr std::string_view kSelf[] = {"Self|its share alone"};
  constexpr std::string_view kHi[] = {"perf echo hi|say it"};
  const Command command{.name = "echo", .summary = "Say it", .examples = kHi};
  const std::string page =
      manual_text(make_manual("falcon", command, {.columns = kSelf, .see_also = "top,stat"}), 80);
  const auto columns = page.find("COLUMNS\n       Self\n           its share alone\n"),
             examples = page.find("EXAMPLES\n"),
             related = page.find("SEE ALSO\n       falcon(1), falcon-top(1), falcon-stat(1)\n");
  EXPECT_TRUE(columns < examples && examples < related && related != page.npos) << page;
  EXPECT_THAT(manual_text(make_manual("falcon", command), 80), Not(HasSubstr("SEE ALSO")));
}

}  // namespace
}  // namespace peregrine
