#include "output/html/profile_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "output/html/packed_text.h"

namespace peregrine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

StackProfile small_profile() {
  return {.texts = {"", "all", "load", "main", "</script><script>alert(1)</script>\x1b\xff"},
          .frames = {{1, 0, CodeKind::All},
                     {2, 0, CodeKind::Comm},
                     {3, 2, CodeKind::Application},
                     {4, 2, CodeKind::Library}},
          .stacks = {{0, 0}, {0, 1}, {1, 2}, {2, 3}},
          .series = {{"cpu-clock", {{2, 0, 1, 250}, {3, 0, 2, 500}, {3, 7, 1, 250}}}},
          .start = 1000,
          .slot_length = 100,
          .slots = 8};
}

TEST(ProfileJson, HasColumnsOfDifferences) {
  const auto json = nlohmann::json::parse(profile_json({small_profile()}, {.title = "T", .units = {"ns"}}));
  EXPECT_THAT(json["stacks"]["parent"].get<std::vector<int>>(), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(json["series"][0]["stack"].get<std::vector<int>>(), ElementsAre(2, 1, 0));
  EXPECT_THAT(json["series"][0]["slot"].get<std::vector<int>>(), ElementsAre(0, 0, 7));
  EXPECT_EQ(json["series"][0]["each"], 250) << "what all samples count for is told once";
  EXPECT_EQ(json["series"][0]["unit"], "ns");
  EXPECT_EQ(json["time"]["slots"], 8);
  EXPECT_EQ(json["texts"][4], "</script><script>alert(1)</script>\\x1b\\xff");
}

TEST(ProfileJson, HasPeriodsThatDiffer) {
  StackProfile profile = small_profile();
  profile.series[0].weights[1].period = 499;
  const auto json = nlohmann::json::parse(profile_json({profile}, {}))["series"][0];
  EXPECT_THAT(json["period"].get<std::vector<int>>(), ElementsAre(250, 499, 250));
  EXPECT_FALSE(json.contains("each"));
}

TEST(ProfileJson, HasLanes) {
  Lanes lanes{.lanes = {{.name = "lo\"ad", .cpu = {}, .pid = 7, .tid = 8, .waited = 90}, {.name = {}, .cpu = 3}},
              .start = 1000,
              .slot_length = 200,
              .slots = 4,
              .weights = {{0, 0, 0, 2, 500}, {0, 0, 3, 1, 250}, {0, 1, 0, 3, 750}}};
  const auto json = nlohmann::json::parse(profile_json({small_profile(), {}, &lanes}, {}))["lanes"];
  EXPECT_EQ(json["rows"][0]["name"], "lo\"ad");
  EXPECT_EQ(json["rows"][0]["waited"], 90);
  EXPECT_EQ(json["rows"][1]["cpu"], 3);
  EXPECT_THAT(json["lane"].get<std::vector<int>>(), ElementsAre(0, 0, 1));
  EXPECT_THAT(json["slot"].get<std::vector<int>>(), ElementsAre(0, 3, -3));
  EXPECT_THAT(json["period"].get<std::vector<int>>(), ElementsAre(500, 250, 750));
  EXPECT_EQ(json["slots"], 4);
}

TEST(ProfileJson, HasCodeWithWhatHitIt) {
  HotFunction function{.name = "main", .dso = "load", .total = {{3, 750}}};
  function.lines.push_back(
      {.address = 0x401000, .text = "jmp    main+0x4", .leads_to = 1, .source = {{8, "\tx = 1;"}}, .hits = {{0, 0}}});
  function.lines.push_back({.address = 0x401004, .text = "ret", .left_out = 5, .hits = {{3, 750}}});
  const HotFunction code[] = {function, {.name = "gone", .total = {{1, 1}}, .missing = "no file\nlook elsewhere"}};
  const auto json = nlohmann::json::parse(profile_json({small_profile(), code}, {}))["code"];
  EXPECT_EQ(json[0]["lines"][0]["address"], "401000");
  EXPECT_EQ(json[0]["lines"][0]["source"][0][1], "\tx = 1;");
  EXPECT_FALSE(json[0]["lines"][0].contains("hits"));
  EXPECT_THAT(json[0]["lines"][1]["hits"].get<std::vector<int>>(), ElementsAre(3, 750));
  EXPECT_EQ(json[1]["missing"], "no file\nlook elsewhere");
}

TEST(ProfilePage, HoldsNoTextOfTheRecordingAsCode) {
  Sink out;
  print_profile_page(out, {small_profile()}, {.title = "<b>&", .subtitle = "</style>"});
  const std::string page = out.take();
  EXPECT_THAT(page, HasSubstr("<title>&lt;b&gt;&amp;</title>"));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const std::string_view address : {"http://", "https://"})
    EXPECT_THAT(page, Not(HasSubstr(std::string(address))));
}

TEST(PackedText, IsBase64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
  EXPECT_TRUE(packed_text("x").starts_with("eJ") || packed_text("x").starts_with("eF"));
}

}  // namespace
}  // namespace peregrine
