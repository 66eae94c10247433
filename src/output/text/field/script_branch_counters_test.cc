#include "output/text/field/script_branch_counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "abi/attr.h"

namespace peregrine {
namespace {

// A group of two events with counters, and a third event outside any group.
data::Evlist counted_events() {
  data::Evlist evlist;
  for (int i = 0; i < 3; ++i) {
    data::Event event;
    event.attr.branch_sample_type = abi::branch_bit::Any | (i < 2 ? abi::branch_bit::Counters : 0);
    evlist.add(std::move(event));
  }
  evlist.set_group(0, 2, "");
  return evlist;
}
const std::vector<std::string> kNames = {"branch-instructions:ppp", "branch-misses", "cycles"};

std::string text(const BranchCounters& counters, u64 word, u32 event = 0) {
  std::string text;
  counters.append(text, event, word);
  return text;
}

TEST(BranchCounters, ShowALetterForEachOccurrence) {
  const BranchCounters counters(counted_events(), kNames, {}, false);
  EXPECT_EQ(text(counters, 0b0110), "AAB");
  EXPECT_EQ(text(counters, 0b0100), "B");
  EXPECT_EQ(text(counters, 0b0111), "AAA+B");
  EXPECT_EQ(text(counters, 0), "-");
  EXPECT_EQ(text(counters, ~u64{0}), "AAA+BBB+");
  EXPECT_EQ(text(counters, ~u64{0}, 2), "-");  // not in a group with counters
  EXPECT_EQ(text(counters, ~u64{0}, 9), "-");
  EXPECT_EQ(counters.legend(),
            "# Branch counter abbr list:\n# branch-instructions:ppp = A\n# branch-misses = B\n"
            "# '-' No event occurs\n# '+' Event occurrences may be lost due to branch counter saturated\n");
}

TEST(BranchCounters, ShowNamesAndNumbersOnRequest) {
  const BranchCounters counters(counted_events(), kNames, {}, true);
  EXPECT_EQ(text(counters, 0b0110), "branch-instructions:ppp 2 branch-misses 1");
  EXPECT_EQ(counters.legend(), "");
}

TEST(BranchCounters, AreAsWideAsTheRecordingSays) {
  data::Features features;
  EXPECT_EQ(branch_counter_width(features), 2u);
  features.pmu_caps = {{"cpu", {{"branches", "32"}, {"branch_counter_width", "4"}}}};
  EXPECT_EQ(branch_counter_width(features), 4u);
  const BranchCounters counters(counted_events(), kNames, features, true);
  EXPECT_EQ(text(counters, 0x2f), "branch-instructions:ppp 15 branch-misses 2");
  for (const char* wrong : {"0", "64", "-1", "x", ""}) {
    features.pmu_caps = {{"cpu", {{"branch_counter_width", wrong}}}};
    EXPECT_EQ(branch_counter_width(features), 2u) << wrong;
  }
}

TEST(BranchCounters, ManyEventsDoNotReadBeyondTheWord) {
  data::Evlist evlist;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    data::Event event;
    event.attr.branch_sample_type = abi::branch_bit::Counters;
    evlist.add(std::move(event));
    names.emplace_back("e");
  }
  evlist.set_group(0, 40, "");
  const BranchCounters counters(evlist, names, {}, true);
  const std::string shown = text(counters, ~u64{0});
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '3'), 32);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), 'e'), 32);
}

}  // namespace
}  // namespace peregrine
