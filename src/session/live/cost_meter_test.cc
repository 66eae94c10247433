#include "session/live/cost_meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace peregrine {
namespace {

using std::chrono::milliseconds;

TEST(CostMeter, SaysNothingBeforeAnIntervalHasPassed) {
  const CostMeter::Time start{};
  CostMeter meter;
  meter.start(start, 0.4);  // spent on startup
  EXPECT_EQ(meter.measure(start + milliseconds(5), 0.45), std::nullopt);
  const std::optional<double> first = meter.measure(start + milliseconds(1000), 0.5);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(*first, 100 * (0.5 - 0.4));
}

TEST(CostMeter, KeepsTheLastResultUntilTheNextIntervalHasPassed) {
  const CostMeter::Time start{};
  CostMeter meter;
  meter.start(start, 0);
  EXPECT_DOUBLE_EQ(meter.measure(start + milliseconds(2000), 1).value_or(0), 50);
  EXPECT_DOUBLE_EQ(meter.measure(start + milliseconds(2001), 1.5).value_or(0), 50);
  EXPECT_DOUBLE_EQ(meter.measure(start + milliseconds(3000), 2).value_or(0), 100);
}

}  // namespace
}  // namespace peregrine
