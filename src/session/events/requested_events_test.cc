#include "session/events/requested_events.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(RequestedEvents, FiltersOnlyTheLastArgument) {
  RequestedEvents events;
  ASSERT_TRUE(events.add("task-clock"));
  ASSERT_TRUE(events.add("cpu-clock,page-faults"));
  ASSERT_TRUE(events.filter("ip > 0x1000"));
  ASSERT_EQ(events.list().size(), 3u);
  EXPECT_FALSE(events.list()[0].filter);
  EXPECT_TRUE(events.list()[1].filter);
  EXPECT_TRUE(events.list()[2].filter);
}

TEST(RequestedEvents, RefusesFiltersWithoutEvents) {
  RequestedEvents events;
  EXPECT_FALSE(events.filter("ip > 0x1000"));
  ASSERT_TRUE(events.add("cpu-clock"));
  events.clear();
  EXPECT_FALSE(events.filter("ip > 0x1000"));
}

TEST(RequestedEvents, KeepsItsListWhenAnArgumentIsInvalid) {
  RequestedEvents events;
  ASSERT_TRUE(events.add("cpu-clock"));
  EXPECT_FALSE(events.add("task-clock,no-such-event"));
  ASSERT_EQ(events.list().size(), 1u);
  EXPECT_EQ(events.list()[0].name, "cpu-clock");
}

TEST(RequestedEvents, IsEmptyOnceTaken) {
  RequestedEvents events;
  ASSERT_TRUE(events.add("cpu-clock"));
  EXPECT_EQ(events.take().size(), 1u);
  EXPECT_TRUE(events.list().empty());
}

}  // namespace
}  // namespace peregrine
