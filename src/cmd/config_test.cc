#include "cmd/config.h"

#include <gtest/gtest.h>

namespace peregrine::cmd {
namespace {

TEST(Config, ReadsSectionsKeysAndComments) {
  std::vector<std::string> problems;
  const auto settings = parse_config(
      "# comment\n"
      "[report]\n"
      "\tsort_order = comm,dso   # trailing\n"
      "  Children\n"
      "[ui \"stdio\"]\n"
      "color = \" a # b \" ; comment\n"
      "nonsense line\n"
      "[broken\n"
      "x = 1\n",
      "f", problems);
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[0].key, "report.sort_order");
  EXPECT_EQ(settings[0].value, "comm,dso");
  EXPECT_EQ(settings[1].key, "report.children");
  EXPECT_EQ(settings[1].value, "true");
  EXPECT_EQ(settings[2].key, "ui.stdio.color");
  EXPECT_EQ(settings[2].value, " a # b ");
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0], "bad config file line 7 in f");
}

TEST(Config, TheLastValueWins) {
  const Config config = Config::of({}, {{"a.b", "no"}, {"a.n", "12"}, {"a.b", "on"}, {"a.bad", "1x"}});
  EXPECT_EQ(config.flag("a.b", false), true);
  EXPECT_EQ(config.number("a.n", 0), 12);
  EXPECT_EQ(config.number("a.none", 7), 7);
  EXPECT_FALSE(config.number("a.bad", 0));
  EXPECT_FALSE(config.flag("a.bad", false));
}

TEST(Config, KnowsWhereThingsLie) {
  const Config plain = Config::of({"HOME=/home/u", "HOMER=x"}, {});
  EXPECT_EQ(plain.buildid_directory(), "/home/u/.debug");
  EXPECT_EQ(plain.cache_directory(), "/home/u/.cache/peregrine");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_BUILDID_DIR=/b"}, {}).buildid_directory(), "/b");
  EXPECT_EQ(Config::of({"HOME=/h"}, {{"buildid.dir", "~/ids"}}).buildid_directory(), "/h/ids");
  EXPECT_EQ(Config::of({"HOME=/h", "XDG_CACHE_HOME=/c"}, {}).cache_directory(), "/c/peregrine");
  EXPECT_EQ(Config::of({}, {}).variable("HOME"), std::nullopt);
}

}  // namespace
}  // namespace peregrine::cmd
