#include "event/tracepoint/value_field.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/server_sources.h"

namespace peregrine {
namespace {

std::string refused(std::string_view words) {
  auto sources = support::server_sources();
  const auto field = parse_value_field(words, sources);
  return field ? "accepted" : field.error().message + "; " + field.error().hint;
}

TEST(ValueField, IsANumberInATracepoint) {
  auto sources = support::server_sources();
  const auto field = parse_value_field("sched:sched_switch:prev_state", sources);
  ASSERT_TRUE(field) << field.error().message;
  EXPECT_EQ(field->event.name, "sched:sched_switch");
  EXPECT_EQ(field->field.offset, 32u);
  EXPECT_EQ(field->field.size, 8u);
  EXPECT_TRUE(field->field.is_signed);
}

TEST(ValueField, SaysWhatIsMissing) {
  EXPECT_EQ(refused("cycles"),
            "expected SYSTEM:EVENT:FIELD (such as sched:sched_stat_runtime:runtime), found 'cycles'; ");
  EXPECT_EQ(refused("sched:sched_switch:prev_pidd"),
            "sched:sched_switch has no field 'prev_pidd'; did you mean 'prev_pid'?");
  EXPECT_EQ(
      refused("sched:sched_switch:prev_comm"),
      "'prev_comm' of sched:sched_switch is not numeric: char prev_comm[16]; numeric fields: prev_pid, prev_state");
}

TEST(ValueField, MayBeOneOfAllEvents) {
  auto sources = support::server_sources();
  const auto field = parse_value_field("sched:sched_switch:common_pid", sources);
  ASSERT_TRUE(field) << field.error().message;
  EXPECT_EQ(field->name, "sched:sched_switch:common_pid");
  EXPECT_EQ(field->field.offset, 4u);
}

TEST(ValueField, NeedsOneTracepoint) {
  EXPECT_EQ(refused("sched:sched_process_*:x"), "expected a single tracepoint: 'sched:sched_process_*'; ");
  EXPECT_EQ(refused("sched:sched_switch"),
            "expected SYSTEM:EVENT:FIELD (such as sched:sched_stat_runtime:runtime), found 'sched:sched_switch'; ");
  EXPECT_NE(refused("sched:sched_swich:prev_pid").find("did you mean 'sched:sched_switch'?"), std::string::npos);
  EXPECT_EQ(refused("sched:sched_switch:zzz"),
            "sched:sched_switch has no field 'zzz'; numeric fields: prev_pid, prev_state");
}

TEST(ValueField, FiltersMustAllHold) {
  auto sources = support::server_sources();
  auto field = parse_value_field("sched:sched_switch:prev_state", sources);
  ASSERT_TRUE(field);
  EXPECT_TRUE(field->tests.empty());
  ASSERT_TRUE(filter_values(*field, "prev_pid > 1 || prev_pid == -1", sources));
  EXPECT_EQ(field->filter, "prev_pid > 1 || prev_pid == -1");
  EXPECT_EQ(field->tests.size(), 3u);
  ASSERT_TRUE(filter_values(*field, "cpu == 0", sources));
  EXPECT_EQ(field->filter, "(prev_pid > 1 || prev_pid == -1) && (cpu == 0)");
  ASSERT_EQ(field->tests.size(), 5u);
  EXPECT_EQ(field->tests.back().op, kFilterAnd);
}

TEST(ValueField, AWrongFilterChangesNothing) {
  auto sources = support::server_sources();
  auto field = parse_value_field("sched:sched_switch:prev_state", sources);
  ASSERT_TRUE(field && filter_values(*field, "prev_pid > 1", sources));
  for (const char* wrong : {"prev_pidd > 1", "prev_comm == bash", "prev_pid >", ""})
    EXPECT_FALSE(filter_values(*field, wrong, sources)) << wrong;
  EXPECT_EQ(field->filter, "prev_pid > 1");
  EXPECT_EQ(field->tests.size(), 1u);
  const auto text = filter_values(*field, "prev_comm == bash", sources);
  EXPECT_EQ(text.error().hint, "record the event with this filter, then use 'perf script --hist'");
}

TEST(ValueBounds, MayBeOneOrTheLimits) {
  EXPECT_EQ(*parse_value_bounds("0"), (std::vector<i64>{0}));
  EXPECT_EQ(*parse_value_bounds("-9223372036854775808,9223372036854775807"),
            (std::vector<i64>{std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()}));
  EXPECT_EQ(parse_value_bounds("9223372036854775808").error().message,
            "'9223372036854775808' is not a number: value ranges must start with a number");
  EXPECT_EQ(parse_value_bounds("1,").error().message, "'' is not a number: value ranges must start with a number");
  EXPECT_EQ(parse_value_bounds("5,-5").error().message, "-5 is not above 5: value ranges must be in ascending order");
}

TEST(ValueBounds, Ascend) {
  EXPECT_EQ(*parse_value_bounds("-4, 0,10"), (std::vector<i64>{-4, 0, 10}));
  EXPECT_FALSE(parse_value_bounds(""));
  EXPECT_FALSE(parse_value_bounds("1,,2"));
  EXPECT_FALSE(parse_value_bounds("1,x"));
  EXPECT_EQ(parse_value_bounds("8,8").error().message, "8 is not above 8: value ranges must be in ascending order");
  std::string many = "0";
  for (int i = 1; i <= 64; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(parse_value_bounds(many).error().message, "65 value ranges exceed the maximum of 64");
}

}  // namespace
}  // namespace peregrine
