// Settings as values: how lines of a file are parsed, and the values that commands get.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/frame/config.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// The value of s.k in a file with this line, or the problems.
std::string value_in(std::string_view line) {
  std::vector<std::string> problems;
  const auto settings = parse_config("[s]\n" + std::string(line) + "\n", "f", problems);
  if (!problems.empty()) return problems[0];
  return settings.size() == 1 && settings[0].key == "s.k" ? settings[0].value : "no value";
}

TEST(ConfigText, ValuesHaveQuotesEscapesAndComments) {
  struct Case {
    std::string_view line, value;
  };
  for (const Case& test : {
           Case{"k=v", "v"},
           Case{"  K =  a b  ", "a b"},
           Case{"k", "true"},
           Case{"k=", ""},
           Case{"k = a=b", "a=b"},
           Case{"k = a # b", "a"},
           Case{"k = a ; b", "a"},
           Case{"k = \"a # b\" # c", "a # b"},
           Case{"k = \" a \"", " a "},
           Case{"k = a\" b \"c", "a b c"},
           Case{R"(k = \"a\")", "\"a\""},
           Case{R"(k = a\\b)", "a\\b"},
           Case{R"(k = a\nb\tc)", "a\nb\tc"},
           Case{R"(k = a\)", "a\\"},
           Case{"k = v\r", "v"},
           Case{"k = \"open", "open"},
           Case{"# k = v", "no value"},
           Case{"; k = v", "no value"},
           Case{"", "no value"},
       })
    EXPECT_EQ(value_in(test.line), test.value) << test.line;
}

TEST(ConfigText, LinesThatAreNoSettingsAreProblems) {
  for (const char* wrong : {"= v", "a b = v", "k* = v", "[s", "[]", "[s \"x]", "[s x]"})
    EXPECT_TRUE(value_in(wrong).starts_with("bad config file line 2 in f")) << wrong << ": " << value_in(wrong);
}

TEST(ConfigText, SettingsAndCommentsMayFollowTheNameOfTheSection) {
  std::vector<std::string> problems;
  const auto settings = parse_config("[a] k = v # ]\n[b] # see [1]\nk = v\n[w \"q]z\"];[\nk\n", "f", problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[0].key + "=" + settings[0].value, "a.k=v");
  EXPECT_EQ(settings[1].key + "=" + settings[1].value, "b.k=v");
  EXPECT_EQ(settings[2].key + "=" + settings[2].value, "w.q]z.k=true");
}

TEST(ConfigText, SettingsBehindABrokenSectionAreNotThoseOfTheLast) {
  std::vector<std::string> problems;
  EXPECT_TRUE(parse_config("[a]\n[b\nk = v\n", "f", problems).empty());
  EXPECT_EQ(problems, (std::vector<std::string>{"bad config file line 2 in f", "bad config file line 3 in f"}));
}

TEST(ConfigText, SubsectionsKeepTheirCase) {
  std::vector<std::string> problems;
  const auto settings = parse_config("[Colors \"Top Part\"]\nNormal = red\n[a.B]\nc = 1", "f", problems);
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].key, "colors.Top Part.normal");
  EXPECT_EQ(settings[1].key, "a.b.c") << "the last line needs no end";
}

TEST(SettingKey, SectionsAndKeysHaveNoCaseButSubsectionsHave) {
  EXPECT_EQ(setting_key("Report.Children"), "report.children");
  EXPECT_EQ(setting_key("Colors.Top Part.Normal"), "colors.Top Part.normal");
  EXPECT_EQ(setting_key("A.B.C.D"), "a.B.C.d");
  EXPECT_EQ(setting_key("Lonely"), "lonely");
  EXPECT_EQ(setting_key(""), "");
}

TEST(ConfigValues, FlagsHaveManyWords) {
  const auto flag = [](std::string value, bool otherwise) {
    return Config::of({}, {{"a.b", std::move(value)}}).flag("a.b", otherwise);
  };
  for (const char* yes : {"true", "YES", "on", "1"}) EXPECT_EQ(flag(yes, false), true) << yes;
  for (const char* no : {"false", "No", "OFF", "0", ""}) EXPECT_EQ(flag(no, true), false) << no;
  for (const char* wrong : {"2", "y", "true ", "enabled"})
    EXPECT_EQ(flag(wrong, true).error().message,
              "bad config value '" + std::string(wrong) + "' for a.b: must be true or false");
}

TEST(ConfigValues, NumbersMayBeNegative) {
  const auto number = [](std::string value) { return Config::of({}, {{"a.b", std::move(value)}}).number("a.b", 3); };
  EXPECT_EQ(number("-7"), -7);
  EXPECT_EQ(number("9223372036854775807"), 9223372036854775807);
  for (const char* wrong : {"", "1.5", "9223372036854775808", "12k"})
    EXPECT_EQ(number(wrong).error().message, "bad config value '" + std::string(wrong) + "' for a.b: must be a number");
}

TEST(ConfigValues, LastSettingWins) {
  Config config = Config::of({}, {{"a.b", "1"}, {"a.b", "2"}});
  EXPECT_EQ(config.text("a.b", "none"), "2");
  config.set("a.b", "3");
  EXPECT_EQ(config.text("a.b", "none"), "3");
  EXPECT_EQ(config.text("a.c", "none"), "none");
  EXPECT_EQ(config.find("a.B"), std::nullopt) << "keys are looked for as setting_key() spells them";
}

TEST(ConfigPlaces, VariablesAreFoundByTheirWholeName) {
  const Config config = Config::of({"AB=1", "A=2=3", "EMPTY=", "C"}, {});
  EXPECT_EQ(config.variable("A"), "2=3");
  EXPECT_EQ(config.variable("EMPTY"), "");
  EXPECT_EQ(config.variable("C"), std::nullopt);
  EXPECT_EQ(config.variable("B"), std::nullopt);
}

TEST(ConfigPlaces, TheUsersFileIsTheOneThatIsNamed) {
  EXPECT_EQ(Config::of({"HOME=/h"}, {}).user_file(), "/h/.perfconfig");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_CONFIG=/c"}, {}).user_file(), "/c");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_CONFIG="}, {}).user_file(), "/h/.perfconfig");
  EXPECT_EQ(Config::of({}, {}).user_file(), "");
}

TEST(ConfigPlaces, BuildIdsMayHaveNoCache) {
  EXPECT_EQ(Config::of({"HOME=/h"}, {{"buildid.dir", "/dev/null"}}).buildid_directory(), "");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_BUILDID_DIR=/b"}, {{"buildid.dir", "/c"}}).buildid_directory(), "/c");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_BUILDID_DIR="}, {}).buildid_directory(), "/h/.debug");
  EXPECT_EQ(Config::of({}, {}).buildid_directory(), ".debug");
}

TEST(ConfigPlaces, TheCacheNeedsAnAbsoluteFolder) {
  EXPECT_EQ(Config::of({"HOME=/h", "XDG_CACHE_HOME=relative"}, {}).cache_directory(), "/h/.cache/peregrine");
  EXPECT_EQ(Config::of({"HOME=/h", "XDG_CACHE_HOME="}, {}).cache_directory(), "/h/.cache/peregrine");
  EXPECT_EQ(Config::of({}, {}).cache_directory(), "");
}

TEST(ConfigPlaces, PlainLocalesHaveNoThousandsSeparator) {
  EXPECT_EQ(Config::of({"LC_ALL=C"}, {}).thousands_separator(), "");
  EXPECT_EQ(Config::of({"LC_ALL=", "LC_NUMERIC=POSIX", "LANG=nothing"}, {}).thousands_separator(), "");
  EXPECT_EQ(Config::of({"LANG=no such locale"}, {}).thousands_separator(), "");
  EXPECT_EQ(Config::of({}, {}).thousands_separator(), "");
}

TEST(ConfigFiles, AreReportedIfTheyMustExist) {
  const TemporaryFolder folder;
  std::vector<std::string> problems;
  EXPECT_TRUE(read_config_file(folder.path("none"), false, problems).empty());
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(read_config_file(folder.path("none"), true, problems).empty());
  EXPECT_EQ(problems, std::vector<std::string>{"cannot read config file " + folder.path("none")});
}

TEST(ConfigFiles, HaveALimit) {
  const TemporaryFolder folder;
  std::vector<std::string> problems;
  const std::string file = folder.write("large", "[a]\nb = " + std::string(std::size_t{1} << 20, 'x'));
  EXPECT_TRUE(read_config_file(file, true, problems).empty());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].contains(file)) << problems[0];
}

}  // namespace
}  // namespace peregrine
