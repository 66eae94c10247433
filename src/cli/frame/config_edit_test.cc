#include "cli/frame/config_edit.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/frame/config.h"

namespace peregrine {
namespace {

constexpr std::string_view kFile =
    "# mine\n"
    "[Report]\n"
    "  children = no   # slow\n"
    "\n"
    "[ui \"stdio\"]\n"
    "\tcolor = red";

TEST(SettingWord, HasSectionKeyAndValue) {
  const auto word = parse_setting_word(" colors.Top Part.x = a=b ");
  ASSERT_TRUE(word);
  EXPECT_EQ(word->section, "colors.Top Part");
  EXPECT_EQ(word->key, "x");
  EXPECT_EQ(word->value, "a=b");
  EXPECT_EQ(parse_setting_word("report.children")->value, std::nullopt);
}

TEST(SettingWord, RejectsWordsThatLackAPart) {
  const auto message = [](std::string_view text) { return parse_setting_word(text).error().message; };
  EXPECT_EQ(message("children=1"), "The config variable does not contain a section name: children=1");
  EXPECT_EQ(message(".children"), "The config variable does not contain a section name: .children");
  EXPECT_EQ(message("report."), "The config variable does not contain a variable name: report.");
  EXPECT_EQ(message("report.children= "), "The config variable does not contain a value: report.children= ");
}

TEST(ConfigEdit, ChangesOneLineOnly) {
  EXPECT_EQ(*with_setting(kFile, "report", "Children", "yes"),
            "# mine\n[Report]\n\tChildren = yes\n\n[ui \"stdio\"]\n\tcolor = red");
}

TEST(ConfigEdit, AddsToTheSection) {
  EXPECT_EQ(*with_setting(kFile, "report", "group", "true"),
            "# mine\n[Report]\n  children = no   # slow\n\tgroup = true\n\n[ui \"stdio\"]\n\tcolor = red\n");
  EXPECT_EQ(*with_setting(kFile, "ui.stdio", "x", "1"),
            "# mine\n[Report]\n  children = no   # slow\n\n[ui \"stdio\"]\n\tcolor = red\n\tx = 1\n");
}

TEST(ConfigEdit, AddsTheSection) {
  EXPECT_EQ(*with_setting("", "buildid", "dir", "/tmp/x"), "[buildid]\n\tdir = /tmp/x\n");
  EXPECT_EQ(*with_setting("[a]\nb", "buildid", "dir", "y"), "[a]\nb\n[buildid]\n\tdir = y\n");
}

TEST(ConfigEdit, WritesValuesThatAreReadBack) {
  for (const std::string_view value :
       {"plain", " blank ends ", "a # b ; c", R"(back\slash "quoted")", "", "two\nlines", "\ttab ends\t", "\r"}) {
    std::vector<std::string> problems;
    const auto settings = parse_config(*with_setting(kFile, "new", "key", value), "", problems);
    ASSERT_FALSE(settings.empty());
    EXPECT_EQ(settings.back().key, "new.key");
    EXPECT_EQ(settings.back().value, value);
    EXPECT_TRUE(problems.empty());
  }
}

// The setting that is read last takes effect.
TEST(ConfigEdit, SettingsBesideTheNameOfTheSectionAreOverruled) {
  EXPECT_EQ(*with_setting("[a] k = v\n[b]\n", "a", "k", "w"), "[a] k = v\n\tk = w\n[b]\n");
  EXPECT_EQ(*with_setting("[a] # see [1]\n[b]\n", "a", "k", "w"), "[a] # see [1]\n\tk = w\n[b]\n");
}

// As parse_config(), which skips all of isspace(3).
TEST(ConfigEdit, ASectionEndsAtAHeaderBehindAnyBlanks) {
  EXPECT_EQ(*with_setting("[a]\nx = 1\n\v[broken\n\f[b]\n", "a", "k", "w"), "[a]\nx = 1\n\tk = w\n\v[broken\n\f[b]\n");
}

TEST(ConfigEdit, KeepsTheCaseOfSubsections) {
  EXPECT_EQ(*with_setting("", "colors.Top Part", "x", "1"), "[colors \"Top Part\"]\n\tx = 1\n");
  EXPECT_EQ(*with_setting("[colors \"Top\"]\n", "colors.Top", "x", "1"), "[colors \"Top\"]\n\tx = 1\n");
}

TEST(ConfigEdit, RejectsNamesThatAFileCannotHold) {
  using Name = std::pair<std::string_view, std::string_view>;
  for (const auto& [section, key] :
       {Name("a b", "c"), Name("a]\n[b", "c"), Name("a", "c = d\n[e]\nf"), Name("", "c"), Name("a", "")}) {
    const auto changed = with_setting(kFile, section, key, "1");
    ASSERT_FALSE(changed) << section;
    EXPECT_EQ(changed.error().kind, ErrorKind::Usage);
  }
}

}  // namespace
}  // namespace peregrine
