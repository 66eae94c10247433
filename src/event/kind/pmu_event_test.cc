#include "event/kind/pmu_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "abi/attr.h"
#include "support/machine.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

// A machine with the PMU "widget" and two instances of uncore_gadget.
class WidgetTest : public ::testing::Test {
 protected:
  WidgetTest() : sources_(machine_.root()) {
    for (const char* line : {
             "widget/type = 40",
             "widget/format/event = config:0-7,32-33",
             "widget/format/umask = config:8-15",
             "widget/format/word = config1:0-63",
             "widget/format/nibble = config2:4-7",
             "widget/format/last = config3:63",
             "widget/events/jumps = event=0x3,umask=2",
             "widget/events/jumps.unit = furlongs",
             "widget/events/jumps.scale = 0.5",
             "widget/events/twice = jumps,nibble=1",
             "widget/events/chicken = egg",
             "widget/events/egg = chicken",
             "widget/events/broken = event='1",
             "uncore_gadget_0/type = 41",
             "uncore_gadget_0/cpumask = 0",
             "uncore_gadget_0/format/event = config:0-7",
             "uncore_gadget_1/type = 42",
             "uncore_gadget_1/cpumask = 0",
             "uncore_gadget_free/type = 43",
         })
      machine_.write(line);
  }

  // "config config1 config2 config3" in hexadecimal, or the error with its column first.
  std::string applied(std::string_view text, std::string_view pmu = "widget") {
    const auto terms = split_terms(text, 0);
    if (!terms) return "no terms";
    spec_ = EventSpec();
    if (const auto done = apply_pmu_terms(sources_, *sources_.pmu(pmu), *terms, spec_); !done)
      return fmt::format("{}: {}{}{}", done.error().column, done.error().what, done.error().hint.empty() ? "" : " / ",
                         done.error().hint);
    const abi::EventAttr& attr = spec_.attr;
    return fmt::format("{:x} {:x} {:x} {:x}", attr.config, attr.config1, attr.config2, attr.config3);
  }
  std::string matching(std::string_view name) {
    std::string names;
    for (const Pmu* pmu : matching_pmus(sources_, name)) names += pmu->name + ' ';
    return names;
  }

  testing::Machine machine_;
  EventSources sources_;
  EventSpec spec_;
};

TEST_F(WidgetTest, ValuesGoToTheBitsOfTheFormat) {
  EXPECT_EQ(applied("event=0x12"), "12 0 0 0");
  EXPECT_EQ(applied("event=0x3ff"), "3000000ff 0 0 0");  // the rest of the value goes to the second range
  EXPECT_EQ(applied("umask=0xff,event=1"), "ff01 0 0 0");
  EXPECT_EQ(applied("word=0xffffffffffffffff"), "0 ffffffffffffffff 0 0");
  EXPECT_EQ(applied("nibble=15"), "0 0 f0 0");
  EXPECT_EQ(applied("last"), "0 0 0 8000000000000000");  // a bare name means 1
  EXPECT_EQ(applied(""), "0 0 0 0");
}

TEST_F(WidgetTest, ValuesOfOneFormatAreJoined) {
  EXPECT_EQ(applied("event=1,event=2"), "3 0 0 0");
  EXPECT_EQ(applied("jumps,umask=1"), "303 0 0 0");
}

TEST_F(WidgetTest, GeneralTermsReplaceWholeWords) {
  EXPECT_EQ(applied("config=0x1234,config1=5,config2=6,config3=7"), "1234 5 6 7");
  EXPECT_EQ(applied("event=1,period=1000"), "1 0 0 0");
  EXPECT_EQ(spec_.terms.period, 1000u);
}

TEST_F(WidgetTest, NamedEventsAreReplacedByTheirTerms) {
  for (const char* spelling : {"jumps", "jumps=1", "event=jumps"})
    EXPECT_EQ(applied(spelling), "203 0 0 0") << spelling;
  EXPECT_EQ(spec_.unit, "furlongs");
  EXPECT_DOUBLE_EQ(spec_.scale, 0.5);
  EXPECT_EQ(applied("twice"), "203 0 10 0");  // an event defined by other events
  EXPECT_EQ(spec_.unit, "furlongs");
}

TEST_F(WidgetTest, RawCodesAreEventsToo) { EXPECT_EQ(applied("r1a8"), "1a8 0 0 0"); }

TEST_F(WidgetTest, PointsAtMistakes) {
  EXPECT_EQ(applied("event=1,nibble=16"), "15: value too big for format, maximum is 15");
  EXPECT_EQ(applied("event=0x400"), "6: value too big for format, maximum is 1023");
  EXPECT_EQ(applied("last=2"), "5: value too big for format, maximum is 1");
  EXPECT_EQ(applied("event=1,umask=x"), "14: expected numeric value");
  EXPECT_EQ(applied("event=1,umsk=2"), "8: unknown term 'umsk' for pmu 'widget' / did you mean 'umask'?");
  EXPECT_EQ(applied("jump"), "0: unknown term 'jump' for pmu 'widget' / did you mean 'jumps'?");
  EXPECT_EQ(applied("umask=1,chicken"), "8: event refers to itself in sysfs");
  EXPECT_EQ(applied("broken"), "0: invalid event definition in sysfs");
  EXPECT_EQ(applied("word=18446744073709551616"), "5: expected numeric value");
}

TEST_F(WidgetTest, AnUnknownTermListsTheValidOnes) {
  const auto terms = split_terms("colour=1", 0);
  const auto refused = apply_pmu_terms(sources_, *sources_.pmu("widget"), *terms, spec_);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().details.starts_with("valid terms: event,last,nibble,umask,word,config,config1,"))
      << refused.error().details;
  for (const char* event : {"jumps", "twice"})
    EXPECT_NE(refused.error().details.find(event, refused.error().details.find("events of widget:")),
              std::string::npos);
}

TEST_F(WidgetTest, AnEventBelongsToItsPmu) {
  EXPECT_EQ(applied("event=7", "uncore_gadget_0"), "7 0 0 0");
  EXPECT_EQ(spec_.attr.type, 41u);
  EXPECT_EQ(spec_.pmu, "uncore_gadget_0");
  EXPECT_TRUE(spec_.system_wide);
  EXPECT_EQ(spec_.own_cpus, CpuList{0});
  applied("event=7");
  EXPECT_EQ(spec_.attr.type, 40u);
  EXPECT_FALSE(spec_.system_wide);
  EXPECT_EQ(spec_.own_cpus, std::nullopt);
}

TEST_F(WidgetTest, ANameChoosesAPmuOrAllItsInstances) {
  EXPECT_EQ(matching("widget"), "widget ");
  EXPECT_EQ(matching("uncore_gadget_1"), "uncore_gadget_1 ");
  EXPECT_EQ(matching_pmus(sources_, "uncore_gadget").size(), 2u);  // not uncore_gadget_free
  EXPECT_EQ(matching_pmus(sources_, "gadget").size(), 2u);
  EXPECT_EQ(matching_pmus(sources_, "*gadget*").size(), 3u);
  EXPECT_EQ(matching("widget?"), "");
  EXPECT_EQ(matching("[v-w]idget"), "widget ");
  EXPECT_EQ(matching("nothing"), "");
}

// intel_pt// records the packets that a decoder needs, as far as the hardware supports them.
TEST(TracerEvent, HasUsefulDefaults) {
  const testing::Machine machine;
  for (const char* line : {"intel_pt/type = 8", "intel_pt/format/pt = config:0", "intel_pt/format/tsc = config:10",
                           "intel_pt/format/branch = config:13", "intel_pt/format/mtc = config:9",
                           "intel_pt/format/mtc_period = config:14-17", "intel_pt/format/psb_period = config:24-27",
                           "intel_pt/caps/mtc_periods = 249", "intel_pt/caps/psb_periods = 3f"})
    machine.write(line);
  EventSources with(machine.root());
  EventSpec spec;
  ASSERT_TRUE(apply_pmu_terms(with, *with.pmu("intel_pt"), {}, spec));
  EXPECT_EQ(spec.attr.config, 1u | 1u << 10 | 1u << 13 | 1u << 9 | 3u << 14 | 3u << 24);
  machine.write("intel_pt/caps/mtc_periods = 0");
  machine.write("intel_pt/caps/psb_periods = 1");
  EventSources without(machine.root());
  spec = EventSpec();
  ASSERT_TRUE(apply_pmu_terms(without, *without.pmu("intel_pt"), {}, spec));
  EXPECT_EQ(spec.attr.config, 1u | 1u << 10 | 1u << 13);
}

}  // namespace
}  // namespace peregrine
