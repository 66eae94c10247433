#include "event/syntax/reload_ratio.h"

#include <gtest/gtest.h>

#include "abi/attr.h"
#include "base/types.h"
#include "event/source.h"
#include "event/syntax/parse.h"
#include "sys/root.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

// instructions, then cycles with a ratio, as left by configure_for_record() before ratios are applied.
EventList pair(u64 first_period, u64 second_period, double ratio) {
  EventList list(2);
  list[0].name = "instructions";
  list[1].name = "cycles";
  list[0].group_size = 2;
  const u64 periods[] = {first_period, second_period};
  for (std::size_t i = 0; i < 2; ++i) {
    list[i].leader = 0;
    list[i].attr.sample_period = periods[i] != 0 ? periods[i] : 4000;
    list[i].attr.set(abi::attr_flag::Freq, periods[i] == 0);
    if (periods[i] == 0) list[i].attr.sample_type |= bit::Period;
  }
  list[1].terms.ratio_to_prev = ratio;
  return list;
}

TEST(ReloadRatio, TheEventBeforeGetsItsPeriodFromTheRatio) {
  EventList list = pair(0, 100000, 0.5);
  ASSERT_TRUE(apply_reload_ratios(list));
  EXPECT_EQ(list[0].attr.sample_period, 200000u);
  EXPECT_FALSE(list[0].attr.has(abi::attr_flag::Freq));
  EXPECT_FALSE(list[0].attr.samples(bit::Period));
  EXPECT_EQ(list[0].attr.config2, 0b10u);
  EXPECT_EQ(list[1].attr.config2, 0b11u);
}

TEST(ReloadRatio, AFixedPeriodOfTheEventBeforeDecides) {
  EventList list = pair(1000, 0, 2.5);
  ASSERT_TRUE(apply_reload_ratios(list));
  EXPECT_EQ(list[1].attr.sample_period, 2500u);
  EXPECT_FALSE(list[1].attr.has(abi::attr_flag::Freq));
}

TEST(ReloadRatio, RejectsWhatHasNoMeaning) {
  const auto refusal = [](EventList list) { return apply_reload_ratios(list).error().message; };
  EXPECT_EQ(refusal(pair(0, 0, 1)), "Event period term or count (-c) must be set when using ratio-to-prev term");
  EXPECT_EQ(refusal(pair(1, 0, 0.5)), "cycles: ratio-to-prev=0.5 gives a period of 0.5");
  EventList alone = pair(1000, 0, 1);
  alone[1].leader = 1;
  EXPECT_EQ(refusal(alone), "cycles: Invalid use of ratio-to-prev term without preceding element in group");
  EventList other = pair(1000, 0, 1);
  other[0].pmu = "cpu_atom";
  EXPECT_EQ(refusal(other),
            "cycles: events with ratio-to-prev and the one before must have same PMU, not 'instructions'");
}

TEST(ReloadRatio, ThePmuMustHaveAMaskThatFillsConfig2) {
  EventSpec spec;
  spec.name = "cycles";
  Pmu pmu;
  EXPECT_FALSE(check_reload(spec, nullptr, 0));
  EXPECT_FALSE(check_reload(spec, &pmu, 0));
  pmu.formats.push_back(*parse_pmu_format("acr_mask", "config2:0-63"));
  EXPECT_TRUE(check_reload(spec, &pmu, 0));
  pmu.formats[0] = *parse_pmu_format("acr_mask", "config1:0-63");
  EXPECT_FALSE(check_reload(spec, &pmu, 0));
}

TEST(ReloadRatio, WordsAreCheckedWhereTheyStand) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  EventList list;
  const auto parsed = parse_events("{instructions,cycles/period=1000,ratio-to-prev=0.5/}", sources, list);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().hint,
            "the PMU of 'cycles/period=1000,ratio-to-prev=0.5/' cannot reload counters automatically (no acr_mask)");
  list.clear();
  EXPECT_FALSE(parse_events("{instructions,cycles/ratio-to-prev=-1/}", sources, list));
}

}  // namespace
}  // namespace peregrine
