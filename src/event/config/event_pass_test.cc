#include "event/config/event_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace peregrine {
namespace {

EventList list_of(std::size_t count) {
  EventList list(count);
  for (std::size_t i = 0; i < count; ++i) {
    list[i].name = std::string(1, static_cast<char>('a' + i));
    list[i].leader = i;
  }
  return list;
}
void group(EventList& list, std::size_t leader, std::size_t size) {
  list[leader].group_size = size;
  for (std::size_t i = 0; i < size; ++i) list[leader + i].leader = leader;
}
// A machine with this many counters.
auto counters(std::size_t count) {
  return [=](const EventList& events) { return events.size() <= count; };
}
using Passes = std::vector<EventPass>;

TEST(EventPass, FillsEachPass) {
  EventList list = list_of(5);
  EXPECT_EQ(pack_passes(list, counters(2)), (Passes{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(pack_passes(list, counters(9)), (Passes{{0, 1, 2, 3, 4}}));
}

TEST(EventPass, KeepsGroupsWhole) {
  EventList list = list_of(6);
  group(list, 1, 3);
  EXPECT_EQ(pack_passes(list, counters(3)), (Passes{{0, 4, 5}, {1, 2, 3}}));
  // Too large for the machine: it runs alone and will not count.
  EXPECT_EQ(pack_passes(list, counters(2)), (Passes{{0, 4}, {1, 2, 3}, {5}}));
  const EventList events = events_of_pass(list, {1, 2, 3});
  EXPECT_EQ(events[2].leader, 0u);
  EXPECT_EQ(events[0].group_size, 3u);
}

TEST(EventPass, BreaksWeakGroupsThatFitNowhere) {
  EventList list = list_of(3);
  group(list, 0, 3);
  list[0].weak_group = true;
  EXPECT_EQ(pack_passes(list, counters(2)), (Passes{{0, 1}, {2}}));
  EXPECT_EQ(list[1].leader, 1u);
}

TEST(EventPass, SplitsBetweenGroups) {
  EventList list = list_of(5);
  group(list, 0, 2);
  EXPECT_EQ(split_pass(list, {0, 1, 2, 3, 4}), (Passes{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(split_pass(list, {0, 1}), (Passes{{0, 1}}));
}

TEST(EventPass, AGroupThatIsTooLargeIsCutIntoPartsThatFit) {
  EventList list = list_of(8);
  group(list, 1, 6);
  EXPECT_EQ(split_group(list, 1, counters(4)), (Passes{{1, 2, 3, 4}, {5, 6}}));
  EXPECT_EQ(split_group(list, 1, counters(6)), (Passes{{1, 2, 3, 4, 5, 6}}));
  // b and c need the same counter.
  const auto at_odds = [](const EventList& events) {
    const auto has = [&](std::string_view name) {
      return std::ranges::find(events, name, &EventSpec::name) != events.end();
    };
    return !(has("b") && has("c"));
  };
  EXPECT_EQ(split_group(list, 1, at_odds), (Passes{{1}, {2, 3, 4, 5, 6}}));
}

}  // namespace
}  // namespace peregrine
