#include "output/json/json_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "analysis/stat/port_traffic.h"
#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/stat_versus.h"
#include "analysis/stat/value_distribution.h"
#include "base/text/printable_text.h"
#include "base/types.h"
#include "event/spec.h"
#include "output/json/event_list_json.h"
#include "output/json/json_document.h"
#include "output/json/json_line.h"
#include "output/json/metric_json.h"
#include "output/json/port_json.h"
#include "output/json/stat_json.h"
#include "output/json/value_json.h"
#include "output/json/versus_json.h"

namespace peregrine {
namespace {

TEST(JsonText, PlainTextIsUnchanged) {
  EXPECT_EQ(json_escaped(""), "");
  EXPECT_EQ(json_escaped("std::vector<int>::at(unsigned) const/~'"), "std::vector<int>::at(unsigned) const/~'");
  EXPECT_EQ(json_escaped("µs \u2026 \U0001f600"), "µs \u2026 \U0001f600");
  const std::string name(100'000, 'x');
  EXPECT_EQ(json_escaped(name), name);
}

TEST(JsonText, EscapesQuotesBackslashesAndControls) {
  EXPECT_EQ(json_escaped("a\"b\\c"), R"(a\"b\\c)");
  EXPECT_EQ(json_escaped("\n\t\r"), R"(\n\t\u000d)");
  EXPECT_EQ(json_escaped(std::string_view("\0x", 2)), R"(\u0000x)");
  EXPECT_EQ(json_escaped("\x1b[2J\x7f"), R"(\u001b[2J\u007f)");
}

// Terminals interpret U+009B as the start of an escape sequence.
TEST(JsonText, EscapesControlsThatAreTwoBytesLong) {
  EXPECT_EQ(json_escaped("\xc2\x80\xc2\x9b"), R"(\u0080\u009b)");
  EXPECT_EQ(json_escaped("\xc2\xa0"), "\xc2\xa0") << "a no-break space is not escaped";
}

// A later filter of lines must find nothing to change: its escapes are not JSON's.
TEST(JsonText, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(json_escaped("caf\u00e9\u202e \u2028\ufeff\u200b"), "caf\u00e9\\u202e \\u2028\\ufeff\\u200b");
  EXPECT_EQ(json_escaped("\U0001fffe \U0001f600"), "\\ud83f\\udffe \U0001f600");
  for (u32 code = 0x20; code < 0x3000; ++code) {
    std::string text;
    if (code < 0x80)
      text = {static_cast<char>(code)};
    else if (code < 0x800)
      text = {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    else
      text = {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
              static_cast<char>(0x80 | (code & 0x3f))};
    EXPECT_TRUE(is_printable(json_escaped(text))) << code;
  }
}

TEST(JsonText, ReplacesEachByteThatIsNotUtf8) {
  constexpr std::string_view kReplaced = "\xef\xbf\xbd";
  const auto replaced = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += kReplaced;
    return text;
  };
  EXPECT_EQ(json_escaped("\xff"), replaced(1));
  EXPECT_EQ(json_escaped("\x80"
                         "a"),
            replaced(1) + "a")
      << "a continuation without a start";
  EXPECT_EQ(json_escaped("\xe2\x82"), replaced(2)) << "cut off at the end";
  EXPECT_EQ(json_escaped("\xc3("), replaced(1) + "(") << "cut off inside";
  EXPECT_EQ(json_escaped("\xc0\xaf"), replaced(2)) << "overlong, of two bytes";
  EXPECT_EQ(json_escaped("\xe0\x80\xaf"), replaced(3)) << "overlong, of three";
  EXPECT_EQ(json_escaped("\xf0\x80\x80\xaf"), replaced(4)) << "overlong, of four";
  EXPECT_EQ(json_escaped("\xed\xa0\x80"), replaced(3)) << "a surrogate";
  EXPECT_EQ(json_escaped("\xf4\x90\x80\x80"), replaced(4)) << "above U+10FFFF";
  EXPECT_EQ(json_escaped("\xf4\x8f\xbf\xbf"), R"(\udbff\udfff)") << "the last character of all";
}

TEST(JsonLine, PutsCommasBetweenMembersOnly) {
  std::string text = "{";
  JsonLine line(text);
  EXPECT_EQ(text, "{");
  line.string("na\"me", "va\\lue");
  line.number("count", std::numeric_limits<u64>::max());
  line.number("is_last", true);
  line.key("inner");
  text += '{';
  JsonLine inner(text);
  inner.number("least", std::numeric_limits<i64>::min());
  EXPECT_EQ(
      text + "}}",
      R"({"na\"me":"va\\lue","count":18446744073709551615,"is_last":true,"inner":{"least":-9223372036854775808}})");
}

TEST(EventListJson, LeavesOutMembersWithoutAValue) {
  Sink out;
  EventListJson json(out);
  json.begin();
  json.print({.name = "cpu-cycles", .alias = "cycles", .label = "Hardware event"});
  json.print({.name = "old",
              .label = "Kernel PMU event",
              .pmu = "cpu",
              .topic = "cache",
              .description = "says \"no\"",
              .long_description = "says \"no\"",
              .encoding = "cpu/event=0xc4/",
              .deprecated = true});
  json.end();
  EXPECT_EQ(
      out.take(),
      "[\n{\n\t\"EventName\": \"cpu-cycles\",\n\t\"EventAlias\": \"cycles\",\n\t\"EventType\": \"Hardware event\"\n},"
      "\n{\n\t\"Unit\": \"cpu\",\n\t\"Topic\": \"cache\",\n\t\"EventName\": \"old\",\n\t\"EventType\": \"Kernel PMU "
      "event\",\n\t\"Deprecated\": \"1\",\n\t\"BriefDescription\": \"says \\\"no\\\"\",\n\t\"Encoding\": "
      "\"cpu/event=0xc4/\"\n}\n]\n")
      << "a long description that only repeats the short one is left out, too";
}

TEST(EventListJson, AnEmptyListIsAnEmptyArray) {
  Sink out;
  EventListJson json(out);
  json.begin();
  json.end();
  EXPECT_EQ(out.take(), "[\n]\n");
}

std::string value_json(const ValueDistribution& distribution, std::optional<u64> interval_ns = {}) {
  Sink out;
  print_value_json(distribution, out, interval_ns);
  return out.take();
}

TEST(ValueJson, AnUnboundedEndIsNull) {
  ValueDistribution distribution("s:e:f", true, {5});
  std::vector<u64> slots(72);
  slots[0] = 1;
  slots[1] = 2;
  slots[70] = 21;  // the sum of all values
  distribution.add(slots);
  EXPECT_EQ(value_json(distribution, 1'000'000'002),
            R"({"interval" : 1.000000002, "field" : "s:e:f", "values" : 3, "average" : 7.0, "ranges" : [)"
            R"({"low" : null, "high" : 4, "count" : 1}, {"low" : 5, "high" : null, "count" : 2}]})"
            "\n");
}

TEST(ValueJson, AveragesMayBeNegativeAndAreZeroWithoutValues) {
  ValueDistribution distribution("f\"", true, {});
  EXPECT_EQ(value_json(distribution), R"({"field" : "f\"", "values" : 0, "average" : 0.0, "ranges" : []})"
                                      "\n");
  std::vector<u64> slots(72);
  slots[0] = 2;
  slots[70] = static_cast<u64>(-5);
  distribution.add(slots);
  EXPECT_EQ(value_json(distribution), R"({"field" : "f\"", "values" : 2, "average" : -2.5, "ranges" : [)"
                                      R"({"low" : null, "high" : -1, "count" : 2}]})"
                                      "\n");
}

TEST(VersusJson, NamesWhatTheIntervalBounds) {
  const std::vector<VersusRow> rows{
      {.name = "cycles\"",
       .pairs = 5,
       .mean_a = 1000,
       .mean_b = 500.5,
       .ratio = 0.5,
       .low = 0.4,
       .high = 0.625,
       .chance = 0.000125,
       .is_real = true},
      {.name = "faults", .unit = "K", .pairs = 3, .mean_a = 0, .mean_b = 2, .low = 2, .high = 2},
      {.name = "one run", .pairs = 1, .ratio = 1}};
  Sink out;
  print_versus_json(rows, out);
  EXPECT_EQ(out.take(),
            R"({"name" : "cycles\"", "unit" : "", "runs" : 5, "mean-a" : 1000.000000, "mean-b" : 500.500000, )"
            R"("ratio" : 0.5, "ratio-low" : 0.4, "ratio-high" : 0.625, "chance" : 0.000125, "verdict" : "less"})"
            "\n"
            R"({"name" : "faults", "unit" : "K", "runs" : 3, "mean-a" : 0.000000, "mean-b" : 2.000000, )"
            R"("ratio" : null, "difference-low" : 2, "difference-high" : 2, "chance" : 1, "verdict" : "same"})"
            "\n"
            R"({"name" : "one run", "unit" : "", "runs" : 1, "mean-a" : 0.000000, "mean-b" : 0.000000, )"
            R"("ratio" : 1, "ratio-low" : null, "ratio-high" : null, "chance" : 1, "verdict" : "unclear"})"
            "\n");
}

TEST(VersusJson, WritesNullForNonFiniteNumbers) {
  VersusRow row;
  row.name = "cycles";
  row.mean_a = std::numeric_limits<double>::infinity();
  row.ratio = std::numeric_limits<double>::quiet_NaN();
  row.chance = std::numeric_limits<double>::quiet_NaN();
  Sink out;
  print_versus_json(std::vector{row}, out);
  const std::string text(out.take());
  EXPECT_THAT(text, ::testing::HasSubstr(R"("mean-a" : null, "mean-b" : 0.000000, "ratio" : null)"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("chance" : null)"));
}

TEST(PortJson, FiguresThatWereNotCountedAreNull) {
  PortTraffic port{.port = "0000:17", .amounts = {}};
  port.amounts[0] = {.state = StatState::Counted, .mb = 1.5};
  port.amounts[1] = {.state = StatState::NotSupported};
  port.amounts[3] = {.state = StatState::Counted};
  Sink out;
  print_port_json(std::vector{port}, {.interval_ns = 3'000'000'000}, out);
  EXPECT_EQ(out.take(),
            R"j({"interval" : 3.000000000, "port" : "0000:17", "Inbound Read(MB)" : "1.500000", )j"
            R"j("Inbound Write(MB)" : null, "Outbound Read(MB)" : null, "Outbound Write(MB)" : "0.000000"})j"
            "\n");
}

EventList json_events() {
  EventList events(1);
  events[0].name = "cycles\"";
  return events;
}

StatTable json_table(const EventList& events, StatAggregation aggregation, StatPlace place = {}) {
  return {events, {true}, {aggregation, {place}}};
}

std::string stat_json(const StatTable& table, const StatRow& row, const StatJsonStyle& style = {}) {
  Sink out;
  print_stat_json(table, std::vector{row}, style, out);
  return out.take();
}

TEST(StatJson, RowsBeginWithTimeAndPlace) {
  const EventList events = json_events();
  const StatRow row{.members = 4};
  const auto start = [&](const StatTable& table, const StatJsonStyle& style = {}) {
    Sink out;
    JsonDocument json(out, JsonLayout::Spaced);
    put_stat_place(json, table, row, style);
    return out.take();
  };
  EXPECT_EQ(start(json_table(events, StatAggregation::Global)), "");
  EXPECT_EQ(start(json_table(events, StatAggregation::Global), {.interval_ns = 1'000'000'002}),
            R"("interval" : 1.000000002)");
  EXPECT_EQ(start(json_table(events, StatAggregation::Socket, {.label = "S0", .name = "S0"})),
            R"("socket" : "S0", "aggregate-number" : 4)");
  EXPECT_EQ(start(json_table(events, StatAggregation::Cpu, {.label = "CPU3", .name = "3"})), R"("cpu" : "3")");
  EXPECT_EQ(start(json_table(events, StatAggregation::Thread, {.label = "a-1", .name = "a\"-1"})),
            R"("thread" : "a\"-1")");
}

TEST(StatJson, ACounterWithoutMetricHasAUnitOfNull) {
  const EventList events = json_events();
  EXPECT_EQ(stat_json(json_table(events, StatAggregation::Global),
                      {.state = StatState::Counted, .value = 8, .enabled_ns = 1000, .running_ns = 333}),
            R"({"counter-value" : "8.000000", "unit" : "", "event" : "cycles\"", "event-runtime" : 333, )"
            R"j("pcnt-running" : 33.30, "metric-value" : 0.000000, "metric-unit" : "(null)"})j"
            "\n");
}

TEST(StatJson, SaysWhichCountersDidNotCount) {
  EventList events = json_events();
  events[0].cgroup = "/sys/fs/cgroup/a";
  events[0].cgroup_name = "a\\b";
  const auto rest = [](std::string_view state) {
    return fmt::format(
        R"({{"counter-value" : "<{}>", "unit" : "", "event" : "cycles\"", "cgroup" : "a\\b", )"
        R"("event-runtime" : 0, "pcnt-running" : 100.00, "metric-value" : 0.000000, "metric-unit" : ""}})"
        "\n",
        state);
  };
  const StatTable table = json_table(events, StatAggregation::Global);
  EXPECT_EQ(stat_json(table, {.state = StatState::NotCounted}), rest("not counted"));
  EXPECT_EQ(stat_json(table, {.state = StatState::NotSupported}), rest("not supported"));
}

TEST(StatJson, NumbersThatJsonLacksAreNull) {
  const EventList events = json_events();
  StatRow row{.state = StatState::Counted, .noise_percent = std::numeric_limits<double>::quiet_NaN()};
  row.metrics = {{.value = std::numeric_limits<double>::infinity(), .unit = "K/sec", .is_bad = true},
                 {.unit = "left out"},
                 {.value = 0.5, .unit = "in\"sn", .is_bad = false}};
  EXPECT_EQ(stat_json(json_table(events, StatAggregation::Global), row, {.noise = true}),
            R"({"counter-value" : "0.000000", "unit" : "", "event" : "cycles\"", "variance" : null, )"
            R"("event-runtime" : 0, "pcnt-running" : 100.00, "metric-value" : null, "metric-unit" : "K/sec", )"
            R"("metric-threshold" : "bad"})"
            "\n"
            R"({"metric-value" : 0.500000, "metric-unit" : "in\"sn", "metric-threshold" : "good"})"
            "\n");
}

TEST(MetricJson, IsAnObjectPerPlaceWithMetricsByName) {
  const EventList events = json_events();
  StatRow row{.members = 4, .state = StatState::Counted};
  const auto metric_json = [&](const StatTable& table) {
    Sink out;
    print_metric_json(table, std::vector{row}, {}, out);
    return out.take();
  };
  const StatTable table = json_table(events, StatAggregation::Socket, {.label = "S0", .name = "S0"});
  EXPECT_EQ(metric_json(table), R"({"socket" : "S0", "aggregate-number" : 4})"
                                "\n")
      << "no comma before a member that is missing";
  EXPECT_EQ(metric_json(json_table(events, StatAggregation::Global)), "{}\n");
  row.metrics = {{.format = StatMetric::Format::Ratio, .value = 0.5, .unit = "insn"},
                 {.unit = "of all"},
                 {.value = 3, .unit = "K/sec"}};
  EXPECT_EQ(metric_json(table),
            R"({"socket" : "S0", "aggregate-number" : 4, "insn" : "0.50", "cycles\" of all" : null})"
            "\n");
}

TEST(JsonLine, SeparatesMembersByCommas) {
  std::string text = "{";
  JsonLine line(text);
  line.string("name", "work");
  line.number("size", 3u);
  line.number("share", 0.5);
  line.raw("none", "null");
  text += '}';
  EXPECT_EQ(text, R"({"name":"work","size":3,"share":0.5,"none":null})");
}

TEST(JsonLine, EscapesNamesAndStringsOnce) {
  std::string text = "{";
  JsonLine line(text);
  line.string("a\"", "b\n");
  line.escaped_string("c", json_escaped("d\n"));
  EXPECT_EQ(text, R"({"a\"":"b\n","c":"d\n")");
}

TEST(JsonLine, SeparatesElementsByCommas) {
  std::string text = "{";
  JsonLine line(text);
  line.raw("stack", "[");
  line.escaped_element("a");
  line.escaped_element(json_escaped("b\""));
  text += "]}";
  EXPECT_EQ(text, R"({"stack":["a","b\""]})");
}

TEST(JsonLine, ANestedObjectStartsWithoutAComma) {
  std::string text = "{";
  JsonLine line(text);
  line.number("ts", 1);
  line.raw("args", "{");
  line.string("name", "work");
  text += "}}";
  EXPECT_EQ(text, R"({"ts":1,"args":{"name":"work"}})");
}

}  // namespace
}  // namespace peregrine
