// The time between pairs of events in the text of a trace.
#include "analysis/function/text_pairs.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(TextLine, HasThreadTimeEventAndText) {
  const auto line =
      parse_trace_line("  my [x] - y-42    [001] d..2. 15953.845742: sched_waking: comm=a pid=12 prio=120");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->thread, "42");
  EXPECT_EQ(line->event, "sched_waking");
  EXPECT_EQ(line->time, 15953'845742'000u);
  EXPECT_EQ(value_in_text(line->text, "pid"), "12");
  EXPECT_EQ(value_in_text(line->text, "rio"), "");
  EXPECT_EQ(value_in_text(" 8,0 bytes: 4096, x=(a=7)", "bytes"), "4096");
}

TEST(TextLine, SystemCallsHaveTheNamesOfTheirTracepoints) {
  const auto enter =
      parse_trace_line(" cat-42 [001] ..... 1.000001: sys_openat(dfd: ffffff9c, filename: 7f00, flags: 0)");
  ASSERT_TRUE(enter);
  EXPECT_EQ(enter->event, "sys_enter_openat");
  EXPECT_EQ(value_in_text(enter->text, "dfd"), "ffffff9c");
  EXPECT_EQ(parse_trace_line(" cat-42 [001] ..... 1.000002: sys_openat -> 0x3")->event, "sys_exit_openat");
  EXPECT_EQ(parse_trace_line(" cat-42 [001] ..... 1.000002: sys_enter: NR 3 (1, 2)")->event, "sys_enter");
}

TEST(TextLine, OtherLinesAreSkipped) {
  for (const char* line : {"", "# tracer: nop", "CPU:1 [LOST 17 EVENTS]", "a-1 [000] ....", "a-1 [000] .... 1.x: b: c",
                           " => do_exit", "a-1 [000] .... 99999999999999999999.1: b: c", "[", " []", " [1]"})
    EXPECT_FALSE(parse_trace_line(line)) << line;
}

TEST(TextPairs, AreMatchedByThread) {
  TextPairs pairs({.start = "enter", .end = "exit", .start_key = {}, .end_key = {}});
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 10.000000: enter: x"));
  EXPECT_FALSE(pairs.add("b-2 [000] ..... 10.000001: exit: x")) << "another thread";
  EXPECT_EQ(pairs.add("a-1 [001] ..... 10.000005: exit: x"), 5000u);
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 11.000000: enter: x"));
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 12.000000: enter: x"));
  EXPECT_EQ(pairs.without_start(), 1u);
  EXPECT_EQ(pairs.without_end(), 2u) << "one replaced, one open";
}

TEST(TextPairs, AreMatchedByFieldsOfTwoNames) {
  TextPairs pairs({.start = "sched_waking", .end = "sched_switch", .start_key = "pid", .end_key = "next_pid"});
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 10.000000: sched_waking: comm=b pid=7 prio=1"));
  EXPECT_EQ(pairs.add("c-3 [000] ..... 10.000042: sched_switch: prev_pid=1 ==> next_comm=b next_pid=7"), 42000u);
}

TEST(TextPairs, NeedTheKeyInBothTexts) {
  TextPairs pairs({.start = "sched_waking", .end = "sched_switch", .start_key = "pid", .end_key = "nosuch"});
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 10.000000: sched_waking: comm=b pid=7 prio=1"));
  EXPECT_FALSE(pairs.add("c-3 [000] ..... 10.000042: sched_switch: prev_pid=1 ==> next_comm=b next_pid=7"));
  EXPECT_EQ(pairs.keyless(), 1u);
  EXPECT_EQ(pairs.without_start(), 0u);
}

TEST(TextPairs, OfOneEventAreItsIntervals) {
  TextPairs pairs({.start = "tick", .end = "tick", .start_key = {}, .end_key = {}});
  EXPECT_FALSE(pairs.add("a-1 [000] ..... 10.000000: tick: x"));
  EXPECT_EQ(pairs.add("a-1 [000] ..... 10.000100: tick: x"), 100'000u);
  EXPECT_EQ(pairs.add("a-1 [000] ..... 10.000300: tick: x"), 200'000u);
  EXPECT_EQ(pairs.without_start(), 0u);
}

}  // namespace
}  // namespace peregrine
