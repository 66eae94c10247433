#include "output/svg/time_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One CPU for 10 ms, and two tasks, one of which wakes the other.
TimeChart busy_chart() {
  TimeChart chart{.first = 0, .last = 10'000'000};
  chart.cpus = {{.number = 3, .stays = {{{.from = 0, .until = 5'000'000}, 0}}, .busy = 5'000'000}};
  ChartTask load{.pid = 7, .tid = 7, .comm = "lo<ad", .former = {"sh"}};
  load.spans = {{{.from = 0, .until = 5'000'000}, TaskState::Running, 3},
                {{.from = 5'000'000, .until = 8'000'000}, TaskState::Sleeping, 0, 0, 1}};
  load.times = {5'000'000, 0, 0, 3'000'000};
  ChartTask idle{.pid = 8, .tid = 9, .comm = "other"};
  idle.spans = {{{.from = 1'000'000, .until = 3'000'000}, TaskState::Waiting, 0, 0},
                {{.from = 3'000'000, .until = 5'000'000}, TaskState::Waiting, 0, kNobody, 1},
                {{.from = 5'000'000, .until = 7'000'000}, TaskState::Waiting, 0, kInterrupt},
                {{.from = 7'000'000, .until = 9'000'000}, TaskState::Blocked}};
  idle.times = {0, 6'000'000, 2'000'000, 0};
  chart.tasks = {load, idle};
  chart.wakes = {{.time = 1'000'000, .waker = 0, .woken = 1}, {.time = 1'000'001, .waker = 0, .woken = 1}};
  chart.chains = {"", "schedule < do_wait"};
  return chart;
}

std::string time_chart(const TimeChart& chart, const std::vector<u32>& rows, const TimeChartText& text = {}) {
  Sink out;
  print_time_chart(out, chart, rows, text);
  return out.take();
}

TEST(TimeChart, BarsSayWhoHowLongAndWhy) {
  const std::string text = time_chart(busy_chart(), {0, 1});
  EXPECT_THAT(text, HasSubstr("<title>lo&lt;ad 7 ran 5 ms, from 0 ns</title>")) << "on the CPU's row";
  EXPECT_THAT(text, HasSubstr("<title>lo&lt;ad 7 ran 5 ms on CPU 3, from 0 ns</title>"));
  EXPECT_THAT(text, HasSubstr("<title>lo&lt;ad 7 slept 3 ms, from 5 ms, in schedule &lt; do_wait</title>"));
  EXPECT_THAT(text, HasSubstr("<title>other 9 waited 2 ms for a CPU, from 1 ms: woken by lo&lt;ad 7</title>"));
  EXPECT_THAT(
      text, HasSubstr("<title>other 9 waited 2 ms for a CPU, from 3 ms: preempted, in schedule &lt; do_wait</title>"));
  EXPECT_THAT(text, HasSubstr("<title>other 9 waited 2 ms for a CPU, from 5 ms: woken by an interrupt</title>"));
  EXPECT_THAT(text, HasSubstr("<title>other 9 was blocked 2 ms by a device or lock, from 7 ms</title>"));
}

TEST(TimeChart, LabelsHaveTheSumsOfTheirRow) {
  const std::string text = time_chart(busy_chart(), {0, 1});
  EXPECT_THAT(text, HasSubstr(">CPU 3</text>"));
  EXPECT_THAT(text, HasSubstr(">busy 5 ms, 50.0% of the recording</text>"));
  EXPECT_THAT(text, HasSubstr(">lo&lt;ad 7</text>"));
  EXPECT_THAT(text, HasSubstr(">total: ran 5 ms</text>"));
  EXPECT_THAT(text, HasSubstr(">total: ran 0 ns, waited 6 ms, blocked 2 ms</text>"));
}

TEST(TimeChart, OnlyChosenRowsAreDrawn) {
  EXPECT_THAT(time_chart(busy_chart(), {1}), Not(HasSubstr("lo&lt;ad 7 slept")));
  EXPECT_THAT(time_chart(busy_chart(), {0, 1}, {.tasks = false}), Not(HasSubstr("slept")));
}

TEST(TimeChart, WakeUpsOfOneMomentAreOneLine) {
  const std::string text = time_chart(busy_chart(), {0, 1});
  EXPECT_THAT(text, HasSubstr("<g id=\"wakes\">\n<g><title>lo&lt;ad 7 wakes other 9 at 1 ms</title>"));
  const std::size_t first = text.find(" wakes other 9");
  EXPECT_EQ(text.find(" wakes other 9", first + 1), std::string::npos);
  EXPECT_THAT(time_chart(busy_chart(), {1}), HasSubstr("<g id=\"wakes\">\n</g>\n")) << "the waker has no row";
}

TEST(TimeChart, MarksTasksByNameAndRunsByLength) {
  constexpr std::string_view kMarkedBar = "<rect class=\"mark\" x=\"0.0\"";
  EXPECT_THAT(time_chart(busy_chart(), {0}), Not(HasSubstr("class=\"mark\"")));
  EXPECT_THAT(time_chart(busy_chart(), {0}, {.marked = "sh"}), HasSubstr(std::string(kMarkedBar))) << "a former name";
  EXPECT_THAT(time_chart(busy_chart(), {0}, {.marked = "x"}), Not(HasSubstr(std::string(kMarkedBar))));
  EXPECT_THAT(time_chart(busy_chart(), {0}, {.marked_length = 4'999'999}), HasSubstr(std::string(kMarkedBar)));
  EXPECT_THAT(time_chart(busy_chart(), {0}, {.marked_length = 5'000'000}), Not(HasSubstr(std::string(kMarkedBar))));
}

TEST(TimeChart, IdleStatesAndFrequenciesAreShownOnRequest) {
  TimeChart chart = busy_chart();
  chart.cpus[0].idle = {{{.from = 5'000'000, .until = 7'000'000}, kNobody},
                        {{.from = 7'000'000, .until = 10'000'000}, 2}};
  chart.cpus[0].frequencies = {{{.from = 0, .until = 10'000'000}, 2'500'000}};
  const std::string text = time_chart(chart, {});
  EXPECT_THAT(text, HasSubstr("<title>CPU 3 idle for 2 ms, from 5 ms</title>"));
  EXPECT_THAT(text, HasSubstr("<title>CPU 3 idle in state C2 for 3 ms, from 7 ms</title>"));
  EXPECT_THAT(text, HasSubstr("<title>CPU 3 at 2.50 GHz for 10 ms, from 0 ns</title>"));
  const std::string without = time_chart(chart, {}, {.power = false});
  EXPECT_THAT(without, Not(HasSubstr(" GHz")));
  EXPECT_THAT(without, Not(HasSubstr(" idle for ")));
}

TEST(TimeChart, CallsSayTheirSizeOrTheirError) {
  TimeChart chart = busy_chart();
  chart.has_io = true;
  chart.tasks[0].taken = 1023;
  chart.tasks[0].given = 1536;
  chart.tasks[0].io = {{{.from = 0, .until = 1'000'000}, IoKind::Read, 3, 0, 2'097'152, 4},
                       {{.from = 1'000'000, .until = 3'000'000}, IoKind::Write, 4, 28},
                       {{.from = 3'000'000, .until = 5'000'000}, IoKind::Send, -1, 99'999, 5},
                       {{.from = 5'000'000, .until = 7'000'000}, IoKind::Poll},
                       {{.from = 7'000'000, .until = 9'000'000}, IoKind::Sync, 3}};
  const std::string text = time_chart(chart, {0});
  EXPECT_THAT(text, HasSubstr("<title>read of fd 3: 2.0 MiB in 4 calls, 1 ms from 0 ns</title>"));
  EXPECT_THAT(text, HasSubstr("<title>write of fd 4 failed with ENOSPC, 2 ms from 1 ms</title>"));
  EXPECT_THAT(text, HasSubstr("<title>send failed with 99999, 2 ms from 3 ms</title>"));
  EXPECT_THAT(text, HasSubstr("<title>poll, 2 ms from 5 ms</title>"));
  EXPECT_THAT(text, HasSubstr("<title>sync of fd 3, 2 ms from 7 ms</title>"));
  EXPECT_THAT(text, HasSubstr(">total: 1023 bytes in, 1.5 KiB out</text>"));
}

TEST(TimeChart, AnEmptyChartIsAPicture) {
  const std::string text = time_chart({}, {}, {.title = "<b>&\x1b", .subtitle = "\"x\""});
  EXPECT_THAT(text, HasSubstr("<title>&lt;b&gt;&amp;\\x1b</title>"));
  EXPECT_THAT(text, HasSubstr("<text id=\"subtitle\" x=\"50%\" y=\"38\">&quot;x&quot;</text>"));
  EXPECT_THAT(text, HasSubstr("<g id=\"rows\">\n</g>\n<g id=\"wakes\">\n</g>\n</svg>\n<g id=\"labels\">\n</g>\n"));
  EXPECT_THAT(text, ::testing::EndsWith("]]></script>\n</svg>\n"));
}

}  // namespace
}  // namespace peregrine
