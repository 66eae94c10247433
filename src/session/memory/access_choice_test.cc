#include "session/memory/access_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;

const std::vector<MemoryEvent> kIntel = {
    {.tag = "ldlat-loads", .text = "cpu/mem-loads,ldlat=30/P", .loads = true},
    {.tag = "ldlat-stores", .text = "cpu/mem-stores/P", .stores = true},
};

TEST(AccessKinds, AreTheNamedOnes) {
  EXPECT_TRUE(parse_access_kinds("load,store")->loads);
  EXPECT_TRUE(parse_access_kinds("load,store")->stores);
  EXPECT_FALSE(parse_access_kinds("store")->loads);
  EXPECT_FALSE(parse_access_kinds("")->stores);
  EXPECT_EQ(parse_access_kinds("loads").error().message, "-t: invalid 'loads': must be load or store");
}

TEST(AccessEvents, AreThoseOfTheRequestedKinds) {
  EXPECT_THAT(*access_event_arguments({}, kIntel, "mem record"),
              ElementsAre("-e", "cpu/mem-loads,ldlat=30/P", "-e", "cpu/mem-stores/P"));
  EXPECT_THAT(*access_event_arguments({.events = {}, .kinds = {.loads = false}}, kIntel, "mem record"),
              ElementsAre("-e", "cpu/mem-stores/P"));
}

TEST(AccessEvents, AreTheNamedOnesWhateverTheKinds) {
  EXPECT_THAT(*access_event_arguments({.events = {"ldlat-loads"}, .kinds = {.loads = false}}, kIntel, "c2c record"),
              ElementsAre("-e", "cpu/mem-loads,ldlat=30/P"));
  const auto unknown = access_event_arguments({.events = {"loads"}, .kinds = {}}, kIntel, "c2c record");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "unknown memory event 'loads'");
  EXPECT_EQ(unknown.error().hint, "`perf c2c record -e list` lists them");
}

TEST(AccessEvents, AreUnsupportedOnMachinesWithoutThem) {
  EXPECT_EQ(access_event_arguments({}, {}, "mem record").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(access_event_arguments({.events = {"loads"}, .kinds = {}}, {}, "mem record").error().kind,
            ErrorKind::Unsupported);
  Sink out;
  EXPECT_FALSE(list_access_events({}, out));
  EXPECT_TRUE(list_access_events(kIntel, out));
  EXPECT_EQ(out.take(),
            "ldlat-loads   : available  cpu/mem-loads,ldlat=30/P\nldlat-stores  : available  cpu/mem-stores/P\n");
}

TEST(AccessSortKeys, AreLeftToTheReportIfNothingDiffers) {
  EXPECT_EQ(access_sort_keys({}), "");
  EXPECT_EQ(access_sort_keys({.kinds = {.loads = false}}), "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked");
  EXPECT_EQ(access_sort_keys({.kinds = {}, .by_type = true, .data_page_size = true}),
            "mem,snoop,tlb,type,data_page_size");
}

}  // namespace
}  // namespace peregrine
