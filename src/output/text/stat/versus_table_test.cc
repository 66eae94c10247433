#include "output/text/stat/versus_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "analysis/stat/stat_metric.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "analysis/stat/value_distribution.h"
#include "event/spec.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/metric_value.h"
#include "output/text/format/seconds_text.h"
#include "output/text/stat/metric_table.h"
#include "output/text/stat/value_text.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

TEST(VersusVerdict, OnlyRealDifferencesHaveADirection) {
  EXPECT_EQ(versus_verdict({.mean_a = 1, .mean_b = 2, .is_real = true}), "more");
  EXPECT_EQ(versus_verdict({.mean_a = 2, .mean_b = 1, .is_real = true}), "less");
  EXPECT_EQ(versus_verdict({.mean_a = 1, .mean_b = 2, .low = 0.5, .high = 3}), "unclear");
  EXPECT_EQ(versus_verdict({.mean_a = 1, .mean_b = 1, .low = 1, .high = 1}), "same");
  EXPECT_EQ(versus_verdict({.mean_a = 1, .mean_b = 2}), "unclear") << "one pair has no interval";
}

TEST(VersusTable, RatiosHaveAnIntervalAndZerosADifference) {
  const std::vector<VersusRow> rows{
      {.name = "cycles",
       .whole = true,
       .pairs = 5,
       .mean_a = 1'234'567.4,
       .mean_b = 12.34,
       .ratio = 1.5,
       .low = 1.4,
       .high = 1.6,
       .is_real = true},
      {.name = "task-clock", .unit = "msec", .mean_a = 0.5, .mean_b = 12.5, .low = -1, .high = 25},
      {.name = "rate", .mean_a = 1234.5, .mean_b = 0, .ratio = 0.25}};
  Sink out;
  print_versus({.a = "'old'", .b = "'new'", .pairs = 5, .thousands = ","}, rows, {}, out);
  EXPECT_EQ(
      out.take(),
      "\n A: 'old'\n B: 'new'\n 5 alternating runs of each, after one warm-up run of each (not counted):\n\n"
      "          mean of A          mean of B      B/A  95% interval           B is\n"
      "          1,234,567               12.3    1.500  [1.400, 1.600]         less     cycles\n"
      "           0.500000             12.500        -  by -1 to +25           unclear  msec task-clock\n"
      "           1,234.50           0.000000    0.250                         unclear  rate\n"
      "\n B/A: geometric mean over pairs of runs; interval: Student's t over its logarithms.\n"
      " more, less: significant at 5% over all lines (Holm); unclear: may be chance; same: equal in every run.\n\n");
}

TEST(VersusTable, SaysWhatDidNotCount) {
  Sink out;
  const std::vector<std::string> left_out{"cycles", "faults"};
  print_versus({}, {}, left_out, out);
  EXPECT_THAT(out.take(),
              HasSubstr("B is\n cycles was not counted in every run\n faults was not counted in every run\n\n B/A:"));
}

std::string value_text(const ValueDistribution& distribution, std::optional<u64> interval_ns = {}) {
  Sink out;
  print_value_text(distribution, out, interval_ns);
  return out.take();
}

TEST(ValueText, BarsAreRelativeToTheLargestRange) {
  ValueDistribution distribution("s:e:f", true, {5});
  std::vector<u64> slots(72);
  slots[0] = 1;
  slots[1] = 2;
  slots[70] = 21;  // the sum of all values
  distribution.add(slots);
  EXPECT_EQ(value_text(distribution, 1'000'000'002),
            "     1.000000002 s:e:f: 3 values, average 7.0\n\n"
            "  from  to  count\n"
            "         4      1  |####################                    |\n"
            "     5          2  |########################################|\n\n");
}

TEST(ValueText, ColumnsGrowAndRareValuesStayVisible) {
  ValueDistribution distribution("f", false, {10'000, 20'000, 30'000});
  distribution.add(std::vector<u64>{1, 0, 1'000'000});
  EXPECT_THAT(value_text(distribution),
              HasSubstr("          9999        1  |#                                       |\n"
                        "  10000  19999        0  |                                        |\n"
                        "  20000  29999  1000000  |########################################|\n"));
}

TEST(ValueText, WithoutValuesThereIsNoTable) {
  EXPECT_EQ(value_text(ValueDistribution("f", false, {})), " f: 0 values\n\n");
  ValueDistribution one("f", false, {});
  one.add(std::vector<u64>{0, 1});
  EXPECT_THAT(value_text(one), ::testing::StartsWith(" f: 1 value, average 0.0\n"));
}

EventList table_events() {
  EventList events(2);
  events[0].name = "cycles";
  events[1].name = "branches";
  return events;
}

StatTable socket_table(const EventList& events) {
  StatPlace first, second;
  first.label = "S0";
  second.label = "S1";
  return {events, {true, true}, {StatAggregation::Socket, {first, second}}};
}

std::string metric_table(const StatTable& table, std::span<const StatRow> rows, const MetricTableStyle& style = {}) {
  Sink out;
  print_metric_table(table, rows, style, out);
  return out.take();
}

TEST(MetricTable, HasALinePerPlaceAndAColumnPerMetric) {
  const EventList events = table_events();
  const StatMetric ratio{.format = StatMetric::Format::Ratio, .value = 0.5, .unit = "insn per cycle"};
  const StatMetric share{.format = StatMetric::Format::Percent, .value = 25, .unit = "of all branches"};
  const StatMetric rate{.value = 3, .unit = "M/sec"};
  const std::vector<StatRow> rows{{.event = 0, .place = 0, .members = 4, .metrics = {rate, ratio}},
                                  {.event = 1, .place = 0, .members = 4, .metrics = {share}},
                                  {.event = 0, .place = 1, .members = 2, .metrics = {ratio}}};
  EXPECT_EQ(metric_table(socket_table(events), rows),
            "                  insn per cycle branches of all branches \n"
            "S0        4                0.50                    25.00% \n"
            "S1        2                0.50                           \n");
  EXPECT_EQ(metric_table(socket_table(events), std::span(rows).last(1), {.interval_ns = 1'000'000'002}),
            "#           time                   insn per cycle \n"
            "     1.000000002 S1        2                0.50  \n");
  EXPECT_EQ(metric_table(socket_table(events), std::span(rows).last(1), {.show_titles = false}),
            "S1        2                0.50  \n");
}

TEST(MetricTable, ValuesBeyondTheirThresholdAreRed) {
  const EventList events = table_events();
  StatRow row{.metrics = {{.format = StatMetric::Format::Plain, .value = 7, .unit = "stalls", .is_bad = true}}};
  const auto red = [&] {
    return metric_table(socket_table(events), std::vector{row}, {.show_titles = false, .color = true});
  };
  EXPECT_EQ(red(), "S0        0 \033[31m                7.00\033[m \n");
  row.metrics[0].is_bad = false;
  EXPECT_EQ(red(), "S0        0                 7.00 \n");
}

TEST(MetricTable, WithoutRowsThereIsNothing) {
  const EventList events = table_events();
  EXPECT_EQ(metric_table(socket_table(events), {}), "");
}

TEST(MetricValue, EachFormatHasItsDecimals) {
  const auto column = [](StatMetric::Format format) { return metric_column({.format = format, .value = 2.0627}); };
  using enum StatMetric::Format;
  EXPECT_EQ(column(Rate), "   2.063");
  EXPECT_EQ(column(Ratio), "   2.06 ");
  EXPECT_EQ(column(Percent), "   2.06%");
  EXPECT_EQ(column(FinePercent), "   2.063 %");
  EXPECT_EQ(column(Share), "     2.1%");
  EXPECT_EQ(column(Whole), "       2");
  EXPECT_EQ(column(Count), "   2");
  EXPECT_EQ(column(Plain), "    2.06");
  EXPECT_EQ(column(Scaled), "     2.1");
}

TEST(MetricValue, DigitsHaveNoPaddingAndNoSign) {
  EXPECT_EQ(metric_digits({.format = StatMetric::Format::FinePercent, .value = 50}), "50.000");
  EXPECT_EQ(metric_digits({.format = StatMetric::Format::Whole, .value = 1e9}), "1000000000");
  EXPECT_EQ(metric_digits({}), "");
  EXPECT_EQ(metric_column({}), "");
}

TEST(MetricValue, OnlyBadOnesAreRedAndOnlyInColour) {
  EXPECT_EQ(red_if_bad({.is_bad = true}, "7", true), "\033[31m7\033[m");
  EXPECT_EQ(red_if_bad({.is_bad = true}, "7", false), "7");
  EXPECT_EQ(red_if_bad({.is_bad = false}, "7", true), "7");
  EXPECT_EQ(red_if_bad({}, "7", true), "7") << "no threshold";
}

TEST(GroupedNumber, GroupsTheDigitsBeforeThePoint) {
  EXPECT_EQ(grouped_number("1234567.8901", ","), "1,234,567.8901");
  EXPECT_EQ(grouped_number("123456", "."), "123.456");
  EXPECT_EQ(grouped_number("999", ","), "999");
  EXPECT_EQ(grouped_number("1000", "\u202f"), "1\u202f000") << "a separator may have several bytes";
  EXPECT_EQ(grouped_number("1234567", ""), "1234567");
  EXPECT_EQ(grouped_number("", ","), "");
}

TEST(GroupedNumber, DoesNotGroupTheSign) {
  EXPECT_EQ(grouped_number("-123", ","), "-123");
  EXPECT_EQ(grouped_number("-1234.5", ","), "-1,234.5");
}

TEST(SecondsText, CutsToMicroseconds) {
  EXPECT_EQ(seconds_text(0), "0.000000");
  EXPECT_EQ(seconds_text(999), "0.000000");
  EXPECT_EQ(seconds_text(1'999'999'999), "1.999999");
  EXPECT_EQ(seconds_text(~u64{0}), "18446744073.709551");
  EXPECT_DOUBLE_EQ(milliseconds(1500), 0.0015);
}

}  // namespace
}  // namespace peregrine
