#include "sys/hardware/pmu.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/machine.h"

namespace peregrine {
namespace {

TEST(PmuFormats, SpreadATermOverRangesOfBits) {
  const auto format = parse_pmu_format("event", "config:0-7,32-35,21");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->name, "event");
  EXPECT_EQ(format->word, PmuFormat::Word::Config);
  ASSERT_EQ(format->ranges.size(), 3u);
  EXPECT_EQ(format->ranges[1].first, 32u);
  EXPECT_EQ(format->ranges[1].last, 35u);
  EXPECT_EQ(format->ranges[2].first, format->ranges[2].last);
}

TEST(PmuFormats, OfAWholeWordHaveAllItsBits) {
  const auto format = parse_pmu_format("x", "config3");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->word, PmuFormat::Word::Config3);
  ASSERT_EQ(format->ranges.size(), 1u);
  EXPECT_EQ(format->ranges[0].last, 63u);
}

TEST(PmuFormats, OfNoBitsAreMalformed) {
  for (const char* wrong :
       {"", "config:", "config:7-0", "config:0-64", "config:a", "config:0,", "config:0-7-9", "cfg:1"})
    EXPECT_FALSE(parse_pmu_format("x", wrong)) << wrong;
}

TEST(Pmus, KeepOnlyTheFormatsThatCanBeParsed) {
  const testing::Machine machine;
  machine.write("cpu/type = 4");
  machine.write("cpu/format/umask = config:8-15");
  machine.write("cpu/format/broken = nothing:1");
  machine.write("cpu/format/event = config:0-7");
  const auto cpu = read_pmu(machine.root(), "cpu");
  ASSERT_TRUE(cpu);
  ASSERT_EQ(cpu->formats.size(), 2u);
  EXPECT_EQ(cpu->formats[0].name, "event") << "sorted by name";
  EXPECT_EQ(cpu->format("broken"), nullptr);
}

TEST(Pmus, EventsHaveTheirAttributesBesideThem) {
  const testing::Machine machine;
  machine.write("power/type = 12");
  machine.write("power/cpumask = 0");
  machine.write("power/events/energy-pkg = event=0x02");
  machine.write("power/events/energy-pkg.unit = Joules");
  machine.write("power/events/energy-pkg.scale = 2.5e-1");
  machine.write("power/events/energy-pkg.per-pkg = 1");
  machine.write("power/events/energy-pkg.snapshot = 1");
  machine.write("power/events/plain = event=0x03");
  const auto power = read_pmu(machine.root(), "power");
  ASSERT_TRUE(power);
  EXPECT_EQ(power->events.size(), 2u) << "attributes are no events";
  const PmuEvent& energy = *power->event("energy-pkg");
  EXPECT_EQ(energy.terms, "event=0x02");
  EXPECT_EQ(energy.unit, "Joules");
  EXPECT_DOUBLE_EQ(energy.scale, 0.25);
  EXPECT_TRUE(energy.per_package);
  EXPECT_TRUE(energy.snapshot);
  const PmuEvent& plain = *power->event("plain");
  EXPECT_FALSE(plain.has_scale);
  EXPECT_DOUBLE_EQ(plain.scale, 1);
  EXPECT_FALSE(plain.per_package);
  EXPECT_EQ(power->event("nothing"), nullptr);
}

TEST(Pmus, WithACpumaskAreUncoreAndWithCpusAreCores) {
  const testing::Machine machine;
  machine.write("cpu_core/type = 4");
  machine.write("cpu_core/cpus = 0-3");
  machine.write("cpu_atom/type = 10");
  machine.write("cpu_atom/cpus = 4-7");
  machine.write("cha/type = 20");
  machine.write("cha/cpumask = 0,4");
  machine.write("software/type = 1");
  const Root root = machine.root();
  const auto core = read_pmu(root, "cpu_core"), uncore = read_pmu(root, "cha"), software = read_pmu(root, "software");
  EXPECT_TRUE(core->is_core);
  EXPECT_FALSE(core->is_uncore);
  EXPECT_EQ(core->cpumask, (CpuList{0, 1, 2, 3}));
  EXPECT_TRUE(uncore->is_uncore);
  EXPECT_FALSE(uncore->is_core);
  EXPECT_FALSE(software->cpumask);
  auto names = core_pmu_names(root);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"cpu_atom", "cpu_core"}));
  machine.write("cpu/type = 4");
  EXPECT_EQ(core_pmu_names(root), (std::vector<std::string>{"cpu"}));
}

TEST(Pmus, WithoutATypeAreNone) {
  const testing::Machine machine;
  machine.write("odd/format/event = config:0-7");
  machine.write("strange/type = none");
  EXPECT_FALSE(read_pmu(machine.root(), "odd"));
  EXPECT_FALSE(read_pmu(machine.root(), "strange"));
  EXPECT_FALSE(read_pmu(machine.root(), "../devices/odd"));
  EXPECT_TRUE(pmu_types(machine.root()).empty());
}

}  // namespace
}  // namespace peregrine
