#include "event/tracepoint/value_field.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(refused("sched:sched_switch:prev_comm"),
            "'prev_comm' of sched:sched_switch is no number: char prev_comm[16]; its numbers: prev_pid, prev_state");
}

TEST(ValueBounds, Ascend) {
  EXPECT_EQ(*parse_value_bounds("-4, 0,10"), (std::vector<i64>{-4, 0, 10}));
  EXPECT_FALSE(parse_value_bounds(""));
  EXPECT_FALSE(parse_value_bounds("1,,2"));
  EXPECT_FALSE(parse_value_bounds("1,x"));
  EXPECT_EQ(parse_value_bounds("8,8").error().message, "8 does not come after 8: ranges of values must ascend");
  std::string many = "0";
  for (int i = 1; i <= 64; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(parse_value_bounds(many).error().message, "65 ranges of values are more than 64");
}

}  // namespace
}  // namespace peregrine
