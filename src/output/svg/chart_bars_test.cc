#include "output/svg/chart_bars.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

#include "analysis/field/latency_map.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "output/svg/flame_color.h"
#include "output/svg/latency_heat_map.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr BarLook kBusyLook{"busy", "busy"}, kLazyLook{"lazy", "lazy"};

// 8,192,000 ns long; a cell is 1000 ns wide.
TimeChart long_chart() { return {.first = 1000, .last = 8'193'000}; }

Bar chart_bar(u64 from, u64 until, const BarLook* look = &kBusyLook) {
  return {.span = {.from = 1000 + from, .until = 1000 + until}, .look = look, .top = 4, .height = 14};
}

std::string draw_bars(const std::vector<Bar>& bars, u64 least = 0) {
  const TimeChart chart = long_chart();
  const ChartScale scale(chart);
  Sink out;
  {
    ChartBars lane(out, scale, least);
    for (std::size_t i = 0; i < bars.size(); ++i) lane.add(bars[i], [&] { return fmt::format("<bar {}>", i); });
  }
  return out.take();
}

TEST(ChartScale, SpreadsTimesOverAMillionUnits) {
  const TimeChart chart = long_chart();
  const ChartScale scale(chart);
  EXPECT_EQ(scale.x(1000), 0);
  EXPECT_EQ(scale.x(4'097'000), 500'000);
  EXPECT_EQ(scale.x(8'193'000), 1'000'000);
  EXPECT_EQ(scale.x(0), 0) << "what began before the chart begins at its edge";
  EXPECT_EQ(scale.since_start(0), 0u);
  EXPECT_EQ(scale.since_start(1007), 7u);
  EXPECT_EQ(scale.cell(), 1000u);
}

TEST(ChartScale, AChartWithoutLengthDividesNothing) {
  const TimeChart chart{.first = 5, .last = 5};
  const ChartScale scale(chart);
  EXPECT_EQ(scale.length(), 1u);
  EXPECT_EQ(scale.x(5), 0);
}

TEST(ChartBars, AWideBarHasItsOwnTitle) {
  EXPECT_EQ(
      draw_bars({chart_bar(0, 4'096'000)}),
      "<rect class=\"busy\" x=\"0.0\" y=\"4\" width=\"500000.0\" height=\"14\"><title>&lt;bar 0&gt;</title></rect>\n");
  EXPECT_EQ(draw_bars({}), "");
}

TEST(ChartBars, ALoneNarrowBarKeepsItsTitle) {
  EXPECT_EQ(
      draw_bars({chart_bar(0, 512)}),
      "<rect class=\"busy\" x=\"0.0\" y=\"4\" width=\"62.5\" height=\"14\"><title>&lt;bar 0&gt;</title></rect>\n");
}

TEST(ChartBars, NeighboursWithinACellAreSummedAndLookLikeTheLongest) {
  EXPECT_EQ(draw_bars({chart_bar(0, 100), chart_bar(200, 700, &kLazyLook), chart_bar(800, 1000)}),
            "<rect class=\"lazy\" x=\"0.0\" y=\"4\" width=\"122.1\" height=\"14\">"
            "<title>3 bars within 1 µs, from 0 ns: lazy 500 ns busy 300 ns</title></rect>\n");
}

TEST(ChartBars, ANewCellBeginsANewBar) {
  const std::string text = draw_bars({chart_bar(0, 100), chart_bar(900, 1001)});
  EXPECT_THAT(text, HasSubstr("<title>&lt;bar 0&gt;</title>"));
  EXPECT_THAT(text, HasSubstr("<title>&lt;bar 1&gt;</title>"));
  EXPECT_THAT(text, Not(HasSubstr("bars within")));
}

TEST(ChartBars, AWideBarEndsTheSumBeforeIt) {
  const std::string text =
      draw_bars({chart_bar(0, 100), chart_bar(100, 200), chart_bar(200, 5000), chart_bar(5000, 5100)});
  const std::size_t sum = text.find("2 bars within 200 ns"), wide = text.find("bar 2"), last = text.find("bar 3");
  ASSERT_NE(last, std::string::npos);
  EXPECT_LT(sum, wide);
  EXPECT_LT(wide, last);
}

TEST(ChartBars, BarsAreAtLeastThatWideButNotBeyondTheChart) {
  EXPECT_THAT(draw_bars({chart_bar(0, 1)}, 4'096'000), HasSubstr(" width=\"500000.0\""));
  EXPECT_THAT(draw_bars({chart_bar(4'096'000, 4'096'001)}, 100'000'000),
              HasSubstr(" x=\"500000.0\" y=\"4\" width=\"500000.0\""));
}

TEST(FlameFill, WordsNameColours) {
  EXPECT_EQ(flame_colors("kind"), FlameColors::Kind);
  EXPECT_EQ(flame_colors("dso"), FlameColors::Dso);
  EXPECT_EQ(flame_colors("hot"), FlameColors::Hot);
  EXPECT_EQ(flame_colors("blue"), FlameColors::Blue);
  EXPECT_EQ(flame_colors("green"), FlameColors::Green);
  EXPECT_EQ(flame_colors("grey"), FlameColors::Grey);
  EXPECT_EQ(flame_colors("gray"), std::nullopt);
  EXPECT_EQ(flame_colors(""), std::nullopt);
}

TEST(FlameFill, DependsOnTheNameOnly) {
  const FlameBox box{.name = "main", .kind = CodeKind::Application, .period = 5, .dso = "prog"};
  const FlameBox again{.name = "main", .kind = CodeKind::Application, .period = 900, .depth = 7, .dso = "prog"};
  for (const FlameColors colors : {FlameColors::Kind, FlameColors::Dso, FlameColors::Hot, FlameColors::Blue,
                                   FlameColors::Green, FlameColors::Grey})
    EXPECT_EQ(flame_fill(box, colors), flame_fill(again, colors));
  EXPECT_THAT(flame_fill(box, FlameColors::Kind), ::testing::StartsWith("hsl(202,77%,"));
  EXPECT_THAT(flame_fill(box, FlameColors::Grey), ::testing::StartsWith("hsl(0,0%,"));
}

TEST(FlameFill, ProcessesLookAlikeInAllPictures) {
  const FlameBox comm{.name = "load", .kind = CodeKind::Comm};
  EXPECT_EQ(flame_fill(comm, FlameColors::Hot), "hsl(0,0%,84%)");
  EXPECT_EQ(flame_fill(comm, FlameColors::Kind), "hsl(0,0%,84%)");
}

TEST(ChangeFill, MoreIsOrangeLessIsBlueAndATenthIsTheStrongest) {
  EXPECT_EQ(change_fill(0.2, 0.1), "hsl(26,90%,58%)");
  EXPECT_EQ(change_fill(1, 0), "hsl(26,90%,58%)");
  EXPECT_EQ(change_fill(0, 1), "hsl(205,75%,58%)");
  EXPECT_EQ(change_fill(0.025, 0), "hsl(26,90%,75%)") << "a quarter of it is half as strong";
  EXPECT_EQ(change_fill(0.5, 0.5), "hsl(0,0%,90%)");
  EXPECT_EQ(change_fill(0.5001, 0.5), "hsl(0,0%,90%)") << "too little to see";
}

TEST(ShortDuration, HasThreeDigits) {
  EXPECT_EQ(short_duration(0), "0 ns");
  EXPECT_EQ(short_duration(999), "999 ns");
  EXPECT_EQ(short_duration(1000), "1 µs");
  EXPECT_EQ(short_duration(1'234'567), "1.23 ms");
  EXPECT_EQ(short_duration(250'000'000), "250 ms");
  EXPECT_EQ(short_duration(1'500'000'000), "1.5 s");
  EXPECT_EQ(short_duration(86'400'000'000'000), "86400 s") << "not 8.64e+04";
}

TEST(ShortDuration, RoundsUpToTheNextUnit) {
  EXPECT_EQ(short_duration(999'499), "999 µs");
  EXPECT_EQ(short_duration(999'600), "1 ms");
  EXPECT_EQ(short_duration(999'600'000), "1 s");
  EXPECT_EQ(short_duration(999'600'000'000), "1000 s");
}

std::string heat_map(const LatencyMap& map, const HeatMapText& text) {
  Sink out;
  print_latency_heat_map(out, map, text);
  return out.take();
}

// Two columns and one row: three pairs took up to 1 ms, one took 5 ms.
LatencyMap small_map() {
  return {.step = 1'000'000,
          .columns = 2,
          .rows = 1,
          .bounds = {0, 1'000'000},
          .counts = {3, 0},
          .outliers = {0, 1},
          .lines = {{.percent = 50, .whole = 500'000, .by_column = {500'000, 0}}},
          .pairs = 4,
          .most = 5'000'000};
}

TEST(LatencyHeatMap, CellsSayTheirTimeRangeAndShare) {
  const std::string text = heat_map(small_map(), {.title = "Latency", .subtitle = "read"});
  EXPECT_THAT(
      text,
      HasSubstr(
          "<text id=\"title\" x=\"84\" y=\"24\">Latency</text>\n"
          "<text id=\"subtitle\" x=\"84\" y=\"44\">read — 4 pairs, 50% within 500 µs, the longest 5 ms</text>\n"));
  EXPECT_THAT(text,
              HasSubstr("<rect x=\"84.00\" y=\"88.0\" width=\"520.00\" height=\"9.0\" fill=\"hsl(4,90%,36%)\"><title>"
                        "0 ns to 1 ms, 0 ns to 1 ms: 3 pairs, 75.00% of all; 75.00% took no longer</title></rect>\n"));
  EXPECT_THAT(text, HasSubstr("<rect x=\"604.00\" y=\"66.0\" width=\"520.00\" height=\"16.0\" "));
  EXPECT_THAT(
      text,
      HasSubstr("1 ms to 2 ms, 1 ms to 5 ms: 1 pair, 25.00% of all; 100.00% took no longer</title></rect>\n</g>\n"));
}

TEST(LatencyHeatMap, PercentilesLeaveOutEmptyColumns) {
  EXPECT_THAT(heat_map(small_map(), {}), HasSubstr("<polyline class=\"line p50\" points=\"344.0,92.5 \"/>\n"
                                                   "<text class=\"label p50\" x=\"1130\" y=\"96.5\">50%</text>\n"));
}

TEST(LatencyHeatMap, TicksAreRoundAndTheScaleHasAKey) {
  LatencyMap map = small_map();
  map.bounds = {0, 500'000};
  const std::string text = heat_map(map, {});
  for (const char* tick : {">100 µs<", ">200 µs<", ">400 µs<", ">latency<", ">time since the first pair<"})
    EXPECT_THAT(text, HasSubstr(tick));
  EXPECT_THAT(text, Not(HasSubstr("83.3")));
  EXPECT_THAT(text, Not(HasSubstr(">500 µs<"))) << "there is the band of longer ones";
  EXPECT_THAT(text, HasSubstr("pairs in a cell: 1</text>"));
  map.logarithmic = true;
  map.bounds = {2'000, 50'000};
  for (const char* tick : {">2 µs<", ">5 µs<", ">10 µs<", ">20 µs<"}) EXPECT_THAT(heat_map(map, {}), HasSubstr(tick));
  map.bounds = {20, 50'000'000};
  EXPECT_THAT(heat_map(map, {}), HasSubstr(">10 ms<"));
  EXPECT_THAT(heat_map(map, {}), Not(HasSubstr(">20 ms<")));
}

TEST(LatencyHeatMap, TicksOfSizesArePowersOfTwoThatDoNotOverlap) {
  LatencyMap map = small_map();
  map.bounds = {0, 98'304};
  const std::string text = heat_map(map, {.thing = "request", .bytes = true});
  for (const char* tick : {">16 KiB<", ">32 KiB<", ">80 KiB<", ">size<", ">time since the first request<"})
    EXPECT_THAT(text, HasSubstr(tick));
  for (const char* tick : {">8 KiB<", ">2 KiB<", ">96 KiB<"}) EXPECT_THAT(text, Not(HasSubstr(tick)));
}

TEST(LatencyHeatMap, LabelsOfPercentilesDoNotOverlap) {
  LatencyMap map = small_map();
  for (const unsigned percent : {95u, 99u})
    map.lines.push_back({.percent = percent, .whole = 1, .by_column = {500'000, 0}});
  const std::string text = heat_map(map, {});
  EXPECT_THAT(text, HasSubstr("y=\"96.5\">50%"));
  EXPECT_THAT(text, HasSubstr("y=\"84.5\">95%"));
  EXPECT_THAT(text, HasSubstr("y=\"72.5\">99%"));
}

TEST(LatencyHeatMap, AnEmptyMapIsAPictureThatSaysSo) {
  const std::string text = heat_map({}, {.title = "<script>&"});
  EXPECT_THAT(text, HasSubstr(">&lt;script&gt;&amp;</text>\n"));
  EXPECT_THAT(text, HasSubstr("<text id=\"subtitle\" x=\"84\" y=\"44\">0 pairs</text>\n<text id=\"empty\" "));
  EXPECT_THAT(text, Not(HasSubstr("id=\"cells\"")));
}

}  // namespace
}  // namespace peregrine
