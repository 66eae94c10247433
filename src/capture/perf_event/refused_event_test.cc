// Which refused events of a pattern are left out, and what remains.
#include "capture/perf_event/refused_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

EventSpec matched(std::string name) {
  EventSpec spec;
  spec.name = std::move(name);
  spec.from_pattern = true;
  return spec;
}

class RefusedEvent : public ::testing::Test {
 protected:
  RefusedEvent() {
    for (const char* name : {"a:a", "b:b", "c:c", "d:d"}) {
      events_.push_back(matched(name));
      events_.back().leader = events_.size() - 1;
    }
  }
  void refuse(std::size_t index, int error) {
    refused_.add(events_, index, error, Error{ErrorKind::Denied, "refused"});
  }
  std::vector<std::string> left() {
    refused_.remove_from(events_);
    std::vector<std::string> names;
    for (const EventSpec& spec : events_) names.push_back(spec.name + " " + events_[spec.leader].name);
    return names;
  }

  EventList events_;
  RefusedEvents refused_;
};

TEST_F(RefusedEvent, OnlyEventsOfPatternsMayBeMissing) {
  EXPECT_TRUE(RefusedEvents::may_miss(events_, 1, EPERM));
  EXPECT_FALSE(RefusedEvents::may_miss(events_, 1, EMFILE)) << "not about the event";
  events_[1].from_pattern = false;
  EXPECT_FALSE(RefusedEvents::may_miss(events_, 1, EPERM));
}

TEST_F(RefusedEvent, LeadersKeepTheirMembers) {
  events_[2].group_size = 2;
  events_[3].leader = 2;
  EXPECT_FALSE(RefusedEvents::may_miss(events_, 2, EPERM)) << "a group is complete or fails";
  refuse(0, EPERM);
  EXPECT_THAT(left(), ElementsAre("b:b b:b", "c:c c:c", "d:d c:c"));
}

TEST_F(RefusedEvent, TheNextEventTakesOverTheSideBand) {
  events_[0].tracking = true;
  events_[0].attr.set(abi::attr_flag::Mmap);
  refuse(0, EINVAL);
  EXPECT_TRUE(events_[1].tracking);
  EXPECT_TRUE(events_[1].attr.has(abi::attr_flag::Mmap));
}

TEST_F(RefusedEvent, AreNamedOnceByReason) {
  refuse(0, EPERM);
  refuse(2, EPERM);
  refuse(3, EINVAL);
  EXPECT_FALSE(refused_.failure(events_)) << "one is left";
  EXPECT_EQ(refused_.warning(events_),
            "skipped 3 events, which the kernel refuses to sample: a:a, c:c (Operation not permitted); d:d (Invalid "
            "argument)");
}

TEST_F(RefusedEvent, ThatAreAllFail) {
  for (std::size_t index = 0; index < 4; ++index) refuse(index, EACCES);
  ASSERT_TRUE(refused_.failure(events_));
  EXPECT_EQ(refused_.failure(events_)->message, "refused");
}

}  // namespace
}  // namespace peregrine
