#include "capture/sampling/retire_latency_sampler.h"

#include <gtest/gtest.h>

#include <string>

#include "abi/attr.h"
#include "event/config/record_config.h"

namespace peregrine {
namespace {

EventSpec latency_test_event(const char* name, bool latency) {
  EventSpec spec;
  spec.name = name;
  spec.attr.type = static_cast<u32>(abi::EventType::Hardware);
  spec.attr.read_format = abi::read_bit::Group;
  spec.attr.set(abi::attr_flag::Disabled);
  spec.retire_latency = latency;
  return spec;
}

TEST(RetireLatencySampler, TakesTheEventsWithTheModifier) {
  EventList list{latency_test_event("cycles", false), latency_test_event("cycles:R", true),
                 latency_test_event("branches:R", true)};
  list[0].group_size = 3;
  list[1].leader = list[2].leader = 0;
  std::vector<std::size_t> places;
  EventList sampled = latency_events(list, places);
  EXPECT_EQ(places, (std::vector<std::size_t>{1, 2}));
  ASSERT_EQ(sampled.size(), 2u);
  EXPECT_EQ(sampled[1].leader, 1u);
  EXPECT_EQ(sampled[1].attr.read_format, 0u);
  std::vector<std::string> warnings;
  ASSERT_TRUE(configure_for_record({}, {.sampling = {.frequency = 4000}}, sampled, warnings));
  EXPECT_TRUE(sampled[0].attr.samples(abi::sample_bit::WeightStruct));
  EXPECT_EQ(sampled[0].attr.precise_ip(), 1u);  // only precise samples have a latency
}

TEST(LatencyTally, KeepsTheExtremesAndTheNewest) {
  LatencyTally tally, other;
  tally.add(7, 20);
  tally.add(9, 30);
  other.add(2, 25);
  tally.merge(other);
  tally.merge({});
  EXPECT_EQ(tally.samples, 3u);
  EXPECT_EQ(tally.sum, 18u);
  EXPECT_EQ(tally.min, 2u);
  EXPECT_EQ(tally.max, 9u);
  EXPECT_EQ(tally.last, 9u);
}

}  // namespace
}  // namespace peregrine
