#include "event/kind/machine_number.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "event/kind/catalogue.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "support/machine.h"

namespace peregrine {
namespace {

TEST(MachineNumber, CountsThePartsOfTheProcessor) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  const auto number = [&](std::string_view name) { return machine_number(sources, {}, name).value_or(-1); };
  EXPECT_EQ(number("num_cpus"), 6);
  EXPECT_EQ(number("num_cpus_online"), 6);
  EXPECT_EQ(number("num_cores"), 4);
  EXPECT_EQ(number("num_packages"), 1);
  EXPECT_EQ(number("smt_on"), 1);
  EXPECT_EQ(number("has_pmem"), 0);
  EXPECT_EQ(number("num_penguins"), -1);
}

TEST(MachineNumber, SomeDependOnWhatIsCounted) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  const CountedCpus whole_core{.system_wide = true, .chosen = {0, 1}}, thread{.system_wide = true, .chosen = {0}};
  EXPECT_EQ(machine_number(sources, whole_core, "core_wide"), 1);
  EXPECT_EQ(machine_number(sources, thread, "core_wide"), 0);
  EXPECT_EQ(machine_number(sources, thread, "target_cpu"), 1);
  EXPECT_EQ(machine_number(sources, {.system_wide = true, .chosen = {}}, "target_cpu"), 0);
}

TEST(MachineNumber, IgnoresCase) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  EXPECT_EQ(machine_number(sources, {}, "SMT_on"), 1);
  EXPECT_EQ(machine_number(sources, {}, "NUM_CPUS"), 6);
}

TEST(MachineNumber, AreAllKnownByTheirNames) {
  const auto numbers = machine_numbers();
  EXPECT_TRUE(std::ranges::is_sorted(numbers, {}, &MachineNumber::name));
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  hybrid.write("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency = 2400000");
  hybrid.write("armv9/type = 90");
  hybrid.write("armv9/caps/slots = 0x00000008");
  EventSources sources(hybrid.root());
  for (const MachineNumber& number : numbers) EXPECT_TRUE(machine_number(sources, {}, number.name)) << number.name;
  EXPECT_EQ(machine_number(sources, {}, "slots"), 8);
}

// The clock rate of an x86 processor: from a driver, from its name, or its base frequency.
TEST(MachineNumber, TheTimeStampCounterHasItsNominalFrequency) {
  const testing::Machine machine;
  const auto frequency = [&] {
    EventSources sources(machine.root());
    return machine_number(sources, {}, "system_tsc_freq");
  };
  EXPECT_EQ(frequency(), std::nullopt);
  machine.write("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency = 2400000");
  EXPECT_EQ(frequency(), 2.4e9);
  machine.write("/proc/cpuinfo = processor\\t: 0\\nvendor_id\\t: GenuineIntel\\nmodel name\\t: Xeon(R) @ 2.10GHz");
  EXPECT_DOUBLE_EQ(frequency().value_or(0), 2.1e9);
  machine.write("/proc/cpuinfo = processor\\t: 0\\nvendor_id\\t: GenuineIntel\\nmodel name\\t: Old @ 800MHz");
  EXPECT_DOUBLE_EQ(frequency().value_or(0), 8e8);
  machine.write("/sys/devices/system/cpu/cpu0/tsc_freq_khz = 1999999");
  EXPECT_DOUBLE_EQ(frequency().value_or(0), 1999999e3);
}

TEST(MachineNumber, PersistentMemoryIsATableOfTheFirmware) {
  const testing::Machine machine;
  EventSources sources(machine.root());
  EXPECT_EQ(machine_number(sources, {}, "has_pmem"), 0);
  machine.write("/sys/firmware/acpi/tables/NFIT = table");
  EXPECT_EQ(machine_number(sources, {}, "has_pmem"), 1);
}

TEST(MachineNumber, ThreadsShareCoresAsTheKernelSays) {
  const testing::Machine machine;
  EventSources sources(machine.root());
  EXPECT_EQ(machine_number(sources, {}, "smt_on"), 0);
  machine.write("/sys/devices/system/cpu/smt/active = 1");
  EXPECT_EQ(machine_number(sources, {}, "smt_on"), 1);
}

TEST(ToolEvents, AreNamedAsThoseOfAPmu) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  EventList list;
  ASSERT_TRUE(parse_events("tool/num_cores/,tool/duration_time,name=wall/,smt_on,tool/user_time/", sources, list));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].name, "tool/num_cores/");
  EXPECT_EQ(list[0].tool, ToolEvent::Machine);
  EXPECT_EQ(list[0].sensor, "num_cores");
  EXPECT_EQ(list[1].name, "wall");
  EXPECT_EQ(list[1].tool, ToolEvent::DurationTime);
  EXPECT_EQ(list[2].name, "smt_on");
  EXPECT_EQ(list[3].unit, "ns");
  for (const char* wrong : {"tool/num_coers/", "tool/", "tool/num_cores,num_dies/", "tool/num_cores=2/", "tool//"})
    EXPECT_FALSE(parse_events(wrong, sources, list)) << wrong;
  const auto near = parse_events("tool/num_coers/", sources, list);
  EXPECT_EQ(near.error().hint, "did you mean 'num_cores'?");
}

TEST(ToolEvents, AreListedWhereTheMachineKnowsThem) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  const auto found = catalogue(sources, EventKind::Tool, {}, nullptr);
  ASSERT_TRUE(found);
  const auto listed = [&](std::string_view name) { return std::ranges::count(*found, name, &CatalogueEntry::name); };
  EXPECT_EQ(listed("tool/num_cores/"), 1);
  EXPECT_EQ(listed("duration_time"), 1);
  EXPECT_EQ(listed("tool/slots/"), 0);  // Arm only
}

TEST(PmuFilter, EventsOfSeveralPmusAreCountedOnOne) {
  testing::Machine hybrid(PEREGRINE_FIXTURES, "intel-hybrid");
  EventSources sources(hybrid.root());
  EventList both, one;
  ASSERT_TRUE(parse_events("cycles", sources, both));
  EXPECT_EQ(both.size(), 2u);
  ASSERT_TRUE(sources.choose_pmu("cpu_atom"));
  ASSERT_TRUE(parse_events("cycles,cpu_core/cycles/", sources, one));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].pmu, "cpu_atom");
  EXPECT_EQ(one[1].pmu, "cpu_core");  // named explicitly, so it stays
}

TEST(PmuFilter, ChoosesAmongPmusOutsideTheCores) {
  testing::Machine server(PEREGRINE_FIXTURES, "intel-server");
  EventSources sources(server.root());
  EventList all, one;
  ASSERT_TRUE(parse_events("cha/event=0x50/", sources, all));
  ASSERT_GT(all.size(), 1u);
  ASSERT_TRUE(sources.choose_pmu(all.back().pmu));
  ASSERT_TRUE(parse_events("cha/event=0x50/", sources, one));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].pmu, all.back().pmu);
  EXPECT_EQ(sources.choose_pmu("uncore_chaa_0").error().message, "this machine has no PMU 'uncore_chaa_0'");
}

}  // namespace
}  // namespace peregrine
