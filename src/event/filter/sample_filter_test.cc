#include "event/filter/sample_filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "abi/attr.h"

namespace peregrine {
namespace {

// Steps as "part op value" and the letters of joints, in execution order.
std::string steps(std::string_view text) {
  const auto filter = parse_sample_filter(text);
  if (!filter)
    return fmt::format("{} {}{}{}", filter.error().column, filter.error().what, filter.error().hint.empty() ? "" : "; ",
                       filter.error().hint);
  std::string all;
  for (const sample_filter_step& step : filter->steps) {
    if (step.op == kFilterNot)
      all += "! ";
    else if (step.op == kFilterAnd)
      all += "& ";
    else if (step.op == kFilterOr)
      all += "| ";
    else
      all += fmt::format("{}.{}.{}:{}:{} ", step.part, step.shift, step.bits, step.op, step.value);
  }
  return all;
}

TEST(SampleFilter, IsStepsOverAStack) {
  EXPECT_EQ(steps("period > 1000"), "7.0.0:4:1000 ");
  EXPECT_EQ(steps("ip<0xffffffff80000000"), "0.0.0:2:18446744071562067968 ");
  EXPECT_EQ(steps("tid == 1 || tid == 2, cpu != 0"), "2.0.0:0:1 2.0.0:0:2 | 4.0.0:1:0 & ");
  EXPECT_EQ(steps("tid == 1 || tid == 2 && cpu != 0"), "2.0.0:0:1 2.0.0:0:2 4.0.0:1:0 & | ");
  EXPECT_EQ(steps("!(pid == 1) && uid >= 5"), "3.0.0:0:1 ! 15.0.0:5:5 & ");
  EXPECT_EQ(steps("mem_op == load || mem_op == store, mem_lvl > l1"), "11.0.5:0:2 11.0.5:0:4 | 11.33.4:4:1 & ");
  EXPECT_EQ(steps("mem_snoop == hitm || mem_snoop == peer"), "11.19.5:0:16 11.38.2:0:2 | ");
  EXPECT_EQ(steps("mem_op & 6"), "11.0.5:6:6 ");
}

TEST(SampleFilter, ListsTheSampleFieldsItNeeds) {
  EXPECT_EQ(parse_sample_filter("ip > 0 && weight2 > 4")->needs, abi::sample_bit::Ip | abi::sample_bit::WeightStruct);
  EXPECT_EQ(parse_sample_filter("uid == 0")->needs, 0u);
}

TEST(SampleFilter, PointsAtMistakes) {
  EXPECT_EQ(steps(""), "0 empty filter");
  EXPECT_EQ(steps("peroid > 1"), "0 unknown sample field 'peroid'; did you mean 'period'?");
  EXPECT_EQ(steps("period 1"), "7 expected an operator after 'period'; use one of == != < <= > >= &");
  EXPECT_EQ(steps("period > 1 cpu == 1"), "11 expected && or ||");
  EXPECT_EQ(steps("period > x"), "9 invalid value 'x' for 'period'");
  EXPECT_EQ(steps("mem_op == lod"),
            "10 invalid value 'lod' for 'mem_op'; must be one of na, load, store, pfetch, exec");
  EXPECT_EQ(steps("(period > 1"), "0 unmatched '('");
  EXPECT_EQ(steps("period > 1)"), "10 unmatched ')'");
  EXPECT_EQ(steps("period >"), "8 expected a value");
  EXPECT_EQ(steps(std::string(40, '!') + "cpu == 1"), "32 nested too deeply");
  std::string many = "cpu == 0";
  for (int i = 0; i < 40; ++i) many += " || cpu == 1";
  EXPECT_TRUE(steps(many).ends_with("more than 64 tests and operators")) << steps(many);
}

}  // namespace
}  // namespace peregrine
