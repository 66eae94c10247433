#include "event/filter/field_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace peregrine {
namespace {

TraceFormat switch_format() {
  auto format = parse_trace_format("sched",
                                   "name: sched_switch\nID: 1\nformat:\n"
                                   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                                   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                   "\tfield:unsigned char kind;\toffset:28;\tsize:1;\tsigned:0;\n"
                                   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\n"
                                   "print fmt: \"\"\n");
  return std::move(*format);
}

TEST(FieldFilter, TestsBecomeSteps) {
  const auto steps =
      parse_field_filter("prev_pid > -2 && !(kind & 0x3 || cpu == 1) && common_pid != 9", switch_format());
  ASSERT_TRUE(steps);
  std::vector<int> ops;
  for (const auto& step : *steps) ops.push_back(step.op);
  EXPECT_EQ(ops, (std::vector<int>{kFilterGreater, kFilterAnyBit, kFilterEqual, kFilterOr, kFilterNot, kFilterAnd,
                                   kFilterNotEqual, kFilterAnd}));
  EXPECT_EQ((*steps)[0].part, 24);
  EXPECT_EQ((*steps)[0].shift, 32);
  EXPECT_EQ((*steps)[0].bits, 1);
  EXPECT_EQ((*steps)[0].value, static_cast<u64>(-2));
  EXPECT_EQ((*steps)[1].shift, 56);
  EXPECT_EQ((*steps)[1].value, 3u);
  EXPECT_EQ((*steps)[2].part, kFieldCpu);
  EXPECT_EQ((*steps)[6].part, kFieldPid);
}

TEST(FieldFilter, StringsCannotBeTested) {
  const auto refused = parse_field_filter("prev_pid > 0 && prev_comm == cat", switch_format());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().column, 16u);
  EXPECT_NE(refused.error().what.find("only numbers"), std::string::npos);
  EXPECT_FALSE(parse_field_filter("prev_comm ~ \"c*\"", switch_format()));
  EXPECT_FALSE(parse_field_filter("prev_pit > 0", switch_format()));
}

TEST(FieldFilter, TooManyTests) {
  std::string filter = "kind == 1";
  for (int i = 0; i < 40; ++i) filter += " || kind == 2";
  EXPECT_FALSE(parse_field_filter(filter, switch_format()));
}

}  // namespace
}  // namespace peregrine
