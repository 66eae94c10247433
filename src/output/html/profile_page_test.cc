#include "output/html/profile_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/html/packed_text.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json object_of(const std::string& members) { return nlohmann::json::parse('{' + members + '}'); }

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
  const auto json = object_of(profile_json({small_profile()}, {.title = "T", .units = {"ns"}}));
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
  const auto json = object_of(profile_json({profile}, {}))["series"][0];
  EXPECT_THAT(json["period"].get<std::vector<int>>(), ElementsAre(250, 499, 250));
  EXPECT_FALSE(json.contains("each"));
}

TEST(ProfileJson, HasLanes) {
  Lanes lanes{.lanes = {{.name = "lo\"ad", .cpu = {}, .pid = 7, .tid = 8, .waited = 90}, {.name = {}, .cpu = 3}},
              .start = 1000,
              .slot_length = 200,
              .slots = 4,
              .weights = {{0, 0, 0, 2, 500}, {0, 0, 3, 1, 250}, {0, 1, 0, 3, 750}}};
  const auto json = object_of(profile_json({small_profile(), &lanes}, {}))["lanes"];
  EXPECT_EQ(json["rows"][0]["name"], "lo\"ad");
  EXPECT_EQ(json["rows"][0]["waited"], 90);
  EXPECT_EQ(json["rows"][1]["cpu"], 3);
  EXPECT_THAT(json["lane"].get<std::vector<int>>(), ElementsAre(0, 0, 1));
  EXPECT_THAT(json["slot"].get<std::vector<int>>(), ElementsAre(0, 3, -3));
  EXPECT_THAT(json["period"].get<std::vector<int>>(), ElementsAre(500, 250, 750));
  EXPECT_EQ(json["slots"], 4);
}

TEST(ProfileJson, SaysWhatOfTheRecordingIsKnown) {
  const auto json = object_of(profile_json({small_profile()}, {.title = "a\x1b\"b",
                                                               .made_by = "perf 1",
                                                               .facts = {{"host", "box\n"}, {"cpus", "8"}},
                                                               .header = "# arch\t: x\x07\n# cpu\n",
                                                               .losses = "1 lost",
                                                               .span = 1500,
                                                               .narrow = 0.001,
                                                               .compared = true,
                                                               .heat_map_first = true}));
  EXPECT_EQ(json["title"], "a\\x1b\"b") << "no control character reaches the page";
  EXPECT_EQ(json["facts"], nlohmann::json::parse(R"([["host", "box\\x0a"], ["cpus", "8"]])"));
  EXPECT_EQ(json["header"], "# arch\t: x\\x07\n# cpu\n") << "lines and tabs are kept";
  EXPECT_EQ(json["first_view"], "heat");
  EXPECT_EQ(json["span"], 1500);
  EXPECT_EQ(json["narrow"], 0.001);
  EXPECT_EQ(json["compared"], true);
  EXPECT_EQ(json["as_counted"], false);
}

TEST(ProfileJson, SeriesWithoutAUnitCountEvents) {
  const auto series = object_of(profile_json({small_profile()}, {}))["series"];
  EXPECT_EQ(series[0]["unit"], "events");
}

TEST(ProfileJson, ASeriesWithoutWeightsHasEmptyColumns) {
  StackProfile profile = small_profile();
  profile.series[0].weights.clear();
  const auto series = object_of(profile_json({profile}, {}))["series"][0];
  EXPECT_THAT(series["stack"], ::testing::IsEmpty());
  EXPECT_THAT(series["period"], ::testing::IsEmpty());
}

TEST(ProfileJson, WeightsHaveTheLaneOfTheirThread) {
  StackProfile profile = small_profile();
  for (u32 at = 0; at < 3; ++at) profile.series[0].weights[at].thread = std::array{8u, 99u, 7u}[at];
  const Lanes lanes{.lanes = {{.pid = 7, .tid = 7}, {.pid = 7, .tid = 8}, {.joined = 40}, {.name = {}, .cpu = 3}},
                    .slots = 8};
  EXPECT_FALSE(object_of(profile_json({profile, &lanes}, {}))["series"][0].contains("lane")) << "were not kept";
  profile.has_threads = true;
  const auto series = object_of(profile_json({profile, &lanes}, {}))["series"][0];
  EXPECT_THAT(series["lane"].get<std::vector<int>>(), ElementsAre(1, 2, 0)) << "99 is among the other threads";
}

TEST(ProfileJson, ManyThreadsAreJoinedIntoOneLane) {
  const Lanes lanes{.lanes = {{.waited = 7, .joined = 40}, {.name = "k", .pid = ~0u, .tid = ~0u}}};
  const auto rows = object_of(profile_json({small_profile(), &lanes}, {}))["lanes"]["rows"];
  EXPECT_EQ(rows[0], (nlohmann::json{{"joined", 40}, {"waited", 7}})) << "they have no name in common";
  EXPECT_EQ(rows[1]["tid"], -1) << "ids are signed";
  const Lanes none;
  EXPECT_FALSE(object_of(profile_json({small_profile(), &none}, {})).contains("lanes"));
}

// The ids are stored as differences, so summing a column must restore them.
TEST(ProfileJson, SumsOfDifferencesAreTheIds) {
  StackProfile profile = small_profile();
  std::vector<StackWeight>& weights = profile.series[0].weights;
  weights.clear();
  for (const u32 stack : {3u, 3u, 0u, 2u, 4'000'000'000u, 1u}) weights.push_back({stack, 0, 1, 5});
  i64 sum = 0;
  std::vector<i64> stacks;
  const auto json = object_of(profile_json({profile}, {}));
  for (const auto& step : json["series"][0]["stack"]) stacks.push_back(sum += step.get<i64>());
  EXPECT_THAT(stacks, ElementsAre(3, 3, 0, 2, 4'000'000'000, 1));
}

TEST(ProfileJson, HasCodeWithWhatHitIt) {
  HotFunction function{.name = "main", .dso = "load", .total = {{3, 750}}};
  function.lines.push_back(
      {.address = 0x401000, .text = "jmp    main+0x4", .leads_to = 1, .source = {{8, "\tx = 1;"}}, .hits = {{0, 0}}});
  function.lines.push_back({.address = 0x401004, .text = "ret", .left_out = 5, .hits = {{3, 750}}});
  const HotFunction code[] = {function, {.name = "gone", .total = {{1, 1}}, .missing = "no file\nlook elsewhere"}};
  const LineTimes times{
      .start = 1000, .slot_length = 100, .slots = 9, .weights = {{0, 1, 2, 1, 250}, {0, 1, 8, 2, 500}}};
  const auto whole = object_of(code_json(code, times));
  const auto& json = whole["code"];
  EXPECT_EQ(json[0]["lines"][0]["address"], "401000");
  EXPECT_EQ(json[0]["lines"][0]["source"][0][1], "\tx = 1;");
  EXPECT_FALSE(json[0]["lines"][0].contains("hits"));
  EXPECT_THAT(json[0]["lines"][1]["hits"].get<std::vector<int>>(), ElementsAre(3, 750));
  EXPECT_EQ(json[1]["missing"], "no file\nlook elsewhere");
  EXPECT_EQ(whole["line_times"]["length"], 100);
  EXPECT_THAT(whole["line_times"]["line"].get<std::vector<int>>(), ElementsAre(1, 0));
  EXPECT_THAT(whole["line_times"]["slot"].get<std::vector<int>>(), ElementsAre(2, 6));
  EXPECT_EQ(whole["line_times"]["each"], 250);
  EXPECT_FALSE(object_of(code_json(code, {})).contains("line_times")) << "time was not kept";
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
  EXPECT_TRUE(PackedText("x").base64().starts_with("eF"));
}

std::string bytes_of(const std::string& text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  u32 word = 0;
  for (std::size_t at = 0; at < text.size() && text[at] != '='; ++at) {
    word = word << 6 | static_cast<u32>(kDigits.find(text[at]));
    if (at % 4 != 0) bytes += static_cast<char>(word >> (6 - 2 * (at % 4)) & 0xff);
  }
  return bytes;
}

TEST(PackedText, IsPutTogetherOfPartsAndPieces) {
  std::string number;
  for (u64 at = 0; number.size() < 1'000'000; ++at) number += std::to_string(at * at);
  PackedText text("{");
  text.append(PackedText(number));
  text.append(PackedText(""));
  text.append(PackedText("}"));
  const std::string bytes = bytes_of(text.base64());
  EXPECT_LT(bytes.size(), number.size() * 3 / 5);
  std::string unpacked(number.size() + 100, '\0');
  uLongf size = unpacked.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                       bytes.size()),
            Z_OK)
      << "it checks the check sum";
  unpacked.resize(size);
  EXPECT_EQ(unpacked, '{' + number + '}');
}

}  // namespace
}  // namespace peregrine
