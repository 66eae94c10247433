#include "capture/diagnosis/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

struct KallsymsCase {
  const char *what, *text;
  bool shown;
};

TEST(FactsOfSymbols, SeeWhetherKallsymsShowsAddresses) {
  const KallsymsCase cases[] = {
      {"arm64", "ffff800080000000 T _text\\n", true},
      // Per-CPU data has small addresses; the first is 0 even for root.
      {"x86-64 before Linux 6.15",
       "0000000000000000 A fixed_percpu_data\\n0000000000000000 A __per_cpu_start\\n0000000000001000 A cpu_debug_store",
       true},
      {"an ordinary user", "0000000000000000 A fixed_percpu_data\\n0000000000000000 T _text\\n", false},
      {"a name is no address", "0000000000000000 T abcdef\\n0000000000000000 t f00f", false},
      {"32 bits", "c0008000 T stext\\n", true},
      {"a cut line", "00000000", false},
  };
  for (const KallsymsCase& each : cases) {
    const testing::Machine machine;
    machine.write(fmt::format("/proc/kallsyms = {}", each.text));
    EXPECT_EQ(read_facts(machine.root()).kernel_addresses, each.shown) << each.what;
  }
  const testing::Machine without;
  EXPECT_FALSE(read_facts(without.root()).kernel_addresses) << "a kernel without kallsyms";
}

// Distributions have a vmlinux at these places; the one with debug information is preferred.
TEST(FactsOfSymbols, PreferTheKernelImageWithDebugInformation) {
  const testing::Machine machine;
  machine.write("/proc/sys/kernel/osrelease = 6.1.0-13-amd64");
  EXPECT_EQ(read_facts(machine.root()).kernel_image, "");
  for (const char* image :
       {"/boot/vmlinux", "/lib/modules/6.1.0-13-amd64/build/vmlinux", "/boot/vmlinux-6.1.0-13-amd64",
        "/usr/lib/debug/lib/modules/6.1.0-13-amd64/vmlinux", "/usr/lib/debug/boot/vmlinux-6.1.0-13-amd64"}) {
    machine.write(fmt::format("{} = ELF", image));
    EXPECT_EQ(read_facts(machine.root()).kernel_image, image);
  }
  machine.write("/proc/sys/kernel/osrelease = 6.9.1");
  EXPECT_EQ(read_facts(machine.root()).kernel_image, "/boot/vmlinux") << "the others are of another kernel";
}

TEST(FactsOfHardware, NameThePmuOfTheCores) {
  struct Case {
    const char *pmu, *core;
  };
  for (const Case& each : {Case{"cpu", "cpu"}, Case{"cpu_core", "cpu_core"}, Case{"armv8_pmuv3_0", "armv8_pmuv3_0"},
                           Case{"apple_icestorm_pmu", "apple_icestorm_pmu"}, Case{"uncore_imc_0", ""},
                           Case{"power", ""}, Case{"cpu_atomic_not_a_core", ""}}) {
    const testing::Machine machine;
    machine.write(fmt::format("{}/type = 8", each.pmu));
    EXPECT_EQ(read_facts(machine.root()).core_pmu, each.core) << each.pmu;
  }
}

TEST(FactsOfTracing, AreReadBelowTheMountPoint) {
  const testing::Machine machine;
  machine.write("/proc/mounts = nodev /trace tracefs rw 0 0");
  machine.write("/trace/events/header_page = x");
  machine.write("/trace/events/sched/sched_switch/id = 316");
  machine.write("/trace/kprobe_events = ");
  const Facts facts = read_facts(machine.root());
  EXPECT_TRUE(facts.tracefs_mounted);
  EXPECT_EQ(facts.tracefs, "/trace");
  EXPECT_EQ(facts.tracepoint, 316u);
  EXPECT_TRUE(facts.kprobes);
  EXPECT_FALSE(facts.uprobes);
}

TEST(FactsOfTracing, DistinguishUnreadableFromUnmounted) {
  const testing::Machine machine;
  machine.write("/proc/mounts = nodev /trace tracefs rw 0 0");  // but nothing in it can be read
  const Facts unreadable = read_facts(machine.root());
  EXPECT_TRUE(unreadable.tracefs_mounted);
  EXPECT_EQ(unreadable.tracefs, "");
  EXPECT_FALSE(unreadable.tracepoint);
  machine.write("/proc/mounts = sysfs /sys sysfs rw 0 0");
  EXPECT_FALSE(read_facts(machine.root()).tracefs_mounted);
}

TEST(FactsOfAnEmptyMachine, AreAllAbsent) {
  const testing::Machine machine;
  const Facts facts = read_facts(machine.root());
  EXPECT_FALSE(facts.limits.paranoid);
  EXPECT_FALSE(facts.nmi_watchdog);
  EXPECT_FALSE(facts.open_files);
  EXPECT_FALSE(facts.sandbox) << "a faked machine says nothing about the real one's sandbox";
  EXPECT_FALSE(facts.has_kcore);
  EXPECT_FALSE(facts.btf);
  EXPECT_FALSE(facts.debug_files);
  EXPECT_EQ(facts.core_pmu, "");
}

}  // namespace
}  // namespace peregrine
