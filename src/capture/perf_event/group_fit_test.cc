#include "capture/perf_event/group_fit.h"

#include <gtest/gtest.h>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {
namespace {

TEST(GroupFit, SaysHowToCutAGroup) {
  EventList list(5);
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i].name = std::string(1, static_cast<char>('a' + i)), list[i].leader = 0;
  list[0].group_size = 5;
  const auto two = [](const EventList& events) { return events.size() <= 2; };
  EXPECT_EQ(group_advice(list, 0, two),
            "group {a,b,c,d,e} needs more counters than the PMU has and is never counted; use -e '{a,b},{c,d},e', or "
            "-e '{a,b,c,d,e}:W' to split it");
  EXPECT_EQ(group_advice(list, 0, [](const EventList&) { return true; }), "");
}

TEST(GroupFit, EventsWithoutCountersAlwaysFit) {
  EventList list(40);
  for (EventSpec& spec : list) spec.attr.type = static_cast<u32>(abi::EventType::Software);
  EXPECT_TRUE(fits_together(list));
}

}  // namespace
}  // namespace peregrine
