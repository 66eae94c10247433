#include "pipeline/replay/event_switch.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace peregrine {
namespace {

std::string shown(EventSwitch gate, std::string_view events) {
  std::string result;
  for (const char event : events) {
    if (!gate.discards(static_cast<u32>(event - '0'))) result += event;
  }
  return result;
}

TEST(EventSwitch, OpensAtOneEventAndClosesAtAnother) {
  EXPECT_EQ(shown(EventSwitch(1, 2, false), "0310320310"), "030");
  EXPECT_EQ(shown(EventSwitch(1, 2, true), "01002001"), "10021");
  EXPECT_EQ(shown(EventSwitch(1, std::nullopt, false), "00130"), "30");
  EXPECT_EQ(shown(EventSwitch(std::nullopt, 1, false), "00130"), "00");
  EXPECT_EQ(shown(EventSwitch(), "0123"), "0123");
}

}  // namespace
}  // namespace peregrine
