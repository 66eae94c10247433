#include "output/profile/butterfly_text.h"

#include <gtest/gtest.h>

#include <string>

#include "support/profile_words.h"

namespace peregrine {
namespace {

using support::ProfileWords;

std::string butterfly_of(const Profile& profile, const ButterflyLook& look = {}) {
  Sink out;
  print_butterfly(out, profile, call_butterfly(profile, look.event, look.by_count), look);
  const std::string text = out.take();
  return text.substr(text.find("#\n", text.find("Caller, callee")) + 2);
}

TEST(Butterfly, ShowsEachFunctionBetweenCallersAndCallees) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main", "work", "k:sys_read"}, 20);
  words.sample(load, {"main", "work"}, 30);
  words.sample(load, {"main", "work", "help", "work"}, 10);
  words.sample(load, {"work"}, 40);
  EXPECT_EQ(butterfly_of(words.profile),
            "             60.00%      main  [prog]\n"
            "             10.00%      help  [prog]\n"
            "             40.00%      [no caller]\n"
            "  100.00%    80.00%  work  [prog]\n"
            "             80.00%      [self]\n"
            "             20.00%      sys_read  [kernel.kallsyms]\n"
            "             10.00%      help  [prog]\n"
            "------------------------------------------------------------\n"
            "   60.00%     0.00%  main  [prog]\n"
            "            100.00%      work  [prog]\n"
            "------------------------------------------------------------\n"
            "            100.00%      work  [prog]\n"
            "   20.00%    20.00%  sys_read  [kernel.kallsyms]\n"
            "------------------------------------------------------------\n"
            "            100.00%      work  [prog]\n"
            "   10.00%     0.00%  help  [prog]\n"
            "            100.00%      work  [prog]\n"
            "------------------------------------------------------------\n");
}

TEST(Butterfly, OmitsSmallFunctions) {
  ProfileWords words;
  const u32 load = words.thread("load", 7, 7);
  words.sample(load, {"main"}, 990);
  words.sample(load, {"?"}, 10);
  EXPECT_EQ(butterfly_of(words.profile, {.least_percent = 5}),
            "   99.00%    99.00%  main  [prog]\n"
            "------------------------------------------------------------\n"
            "# 1 function below 5% not shown\n");
  EXPECT_TRUE(butterfly_of(words.profile, {.by_count = true}).starts_with("   50.00%    50.00%  main  [prog]\n"));
}

TEST(Butterfly, SamplesWithoutStacksBelongToNoFunction) {
  ProfileWords words;
  words.sample(words.thread("load", 7, 7), {}, 1);
  EXPECT_EQ(butterfly_of(words.profile), "");
}

}  // namespace
}  // namespace peregrine
