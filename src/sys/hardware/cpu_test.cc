#include "sys/hardware/cpu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "support/machine.h"

namespace peregrine {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

// A line for Machine::write(), relative to a CPU's folder.
std::string of_cpu(int cpu, std::string_view file, std::string_view text) {
  return fmt::format("{}/cpu{}/{} = {}", kCpuFolder, cpu, file, text);
}

TEST(CpuLists, ReadBackAsTheyAreWritten) {
  for (const char* text : {"0", "0-1", "0-3,8", "1,3,5,7", "0-63,128-191", "65535", "0,2-4,6,8-10"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_TRUE(cpus) << text;
    EXPECT_EQ(format_cpu_list(*cpus), text);
  }
}

TEST(CpuLists, AreSortedAndWithoutRepetition) {
  for (const char* text : {"3,2,1,0", "0-2,1-3", "0-3,0-3", " 0-3 ", "0x0-0x3"}) {
    const auto cpus = parse_cpu_list(text);
    ASSERT_TRUE(cpus) << text;
    EXPECT_EQ(*cpus, (CpuList{0, 1, 2, 3})) << text;
  }
}

TEST(CpuLists, NameTheInvalidPart) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& each : {Case{"", "invalid CPU list: ''"}, Case{"0,,1", "invalid CPU list: ''"},
                           Case{"0,b,2", "invalid CPU list: 'b'"}, Case{"0,3-1", "invalid CPU list: '3-1'"},
                           Case{"1-2-3", "invalid CPU list: '1-2-3'"}, Case{"-1", "invalid CPU list: '-1'"},
                           Case{"0 - 3", "invalid CPU list: '0 - 3'"}, Case{"65536", "invalid CPU list: '65536'"},
                           Case{"0-18446744073709551615", "invalid CPU list: '0-18446744073709551615'"},
                           Case{"0-65535,0-65535", "invalid CPU list: more than 65536 numbers"}}) {
    const auto cpus = parse_cpu_list(each.text);
    ASSERT_FALSE(cpus) << each.text;
    EXPECT_EQ(cpus.error().kind, ErrorKind::Usage);
    EXPECT_EQ(cpus.error().message, each.message);
  }
}

TEST(CpuLists, OfAMachineAreEmptyWhereUnknown) {
  const testing::Machine machine;
  EXPECT_TRUE(online_cpus(machine.root()).empty());
  machine.write(fmt::format("{}/online = 0-1", kCpuFolder));
  machine.write(fmt::format("{}/offline = ", kCpuFolder));
  machine.write(fmt::format("{}/present = broken", kCpuFolder));
  EXPECT_EQ(online_cpus(machine.root()), (CpuList{0, 1}));
  EXPECT_TRUE(present_cpus(machine.root()).empty());
}

TEST(CpuLists, OfOnlineCpusAreInProcToo) {
  const testing::Machine machine;
  machine.write("/proc/stat = cpu  1 2 3\ncpu0 1 2 3\ncpu2 4 5 6\nintr 7\ncpu9 not a CPU's line any more\n");
  EXPECT_EQ(online_cpus(machine.root()), (CpuList{0, 2}));
  machine.write(fmt::format("{}/online = 0-1", kCpuFolder));
  EXPECT_EQ(online_cpus(machine.root()), (CpuList{0, 1})) << "/sys comes first";
}

// Linux 5.3 renamed the files; the old ones remained for a while, but new kernels lack them.
TEST(CpuTopologies, ReadFilesOfOldAndNewKernels) {
  for (const auto& [package, core] :
       {std::pair("package_cpus_list", "core_cpus_list"), std::pair("core_siblings_list", "thread_siblings_list")}) {
    const testing::Machine machine;
    machine.write(fmt::format("{}/online = 0-3", kCpuFolder));
    for (int cpu = 0; cpu < 4; ++cpu) {
      machine.write(of_cpu(cpu, fmt::format("topology/{}", package), "0-3"));
      machine.write(of_cpu(cpu, fmt::format("topology/{}", core), cpu % 2 == 0 ? "0,2" : "1,3"));
    }
    const CpuTopology topology = cpu_topology(machine.root());
    EXPECT_EQ(topology.package_siblings, (std::vector<std::string>{"0-3"})) << package;
    EXPECT_EQ(topology.core_siblings, (std::vector<std::string>{"0,2", "1,3"})) << core;
    EXPECT_TRUE(topology.die_siblings.empty()) << "no die_cpus_list";
  }
}

// An offline CPU has an entry in the table, which is indexed by CPU number.
TEST(CpuTopologies, HaveAPlaceForEachPresentCpu) {
  const testing::Machine machine;
  machine.write(fmt::format("{}/online = 0,2", kCpuFolder));
  machine.write(fmt::format("{}/present = 0-2", kCpuFolder));
  machine.write(of_cpu(0, "topology/core_id", "0"));
  machine.write(of_cpu(0, "topology/physical_package_id", "0"));
  machine.write(of_cpu(2, "topology/core_id", "7"));
  machine.write(of_cpu(2, "topology/physical_package_id", "1"));
  machine.write(of_cpu(2, "topology/die_id", "3"));
  machine.write(of_cpu(2, "topology/cluster_id", "5"));
  const auto places = cpu_topology(machine.root()).places;
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].core, 0);
  EXPECT_EQ(places[0].die, -1) << "the kernel does not tell";
  EXPECT_EQ(places[1].core, -1);
  EXPECT_EQ(places[1].socket, -1);
  EXPECT_EQ(places[2].core, 7);
  EXPECT_EQ(places[2].socket, 1);
  EXPECT_EQ(places[2].die, 3);
  EXPECT_EQ(places[2].cluster, 5);
}

TEST(CpuCaches, AreSharedByTheCpusOfTheirMap) {
  const testing::Machine machine;
  machine.write(fmt::format("{}/present = 0-1", kCpuFolder));
  for (int cpu = 0; cpu < 2; ++cpu) {
    const auto cache = [&](int index, const char* level, const char* type, const std::string& map) {
      for (const auto& [file, text] : {std::pair<const char*, std::string>("level", level),
                                       {"type", type},
                                       {"size", "32K"},
                                       {"coherency_line_size", "64"},
                                       {"number_of_sets", "64"},
                                       {"ways_of_associativity", "8"},
                                       {"shared_cpu_list", map}})
        machine.write(of_cpu(cpu, fmt::format("cache/index{}/{}", index, file), text));
    };
    cache(0, "1", "Data", std::to_string(cpu));
    cache(1, "3", "Unified", "0-1");
    cache(2, "2", "Unified", std::to_string(cpu));
    cache(4, "4", "Unified", "0-1");  // after a gap, because the CPU is absent
  }
  const auto caches = cpu_caches(machine.root());
  ASSERT_EQ(caches.size(), 5u);
  constexpr u32 kLevels[] = {1, 1, 2, 2, 3};
  const char* const kMaps[] = {"0", "1", "0", "1", "0-1"};
  for (std::size_t i = 0; i < caches.size(); ++i) {
    EXPECT_EQ(caches[i].level, kLevels[i]) << i;
    EXPECT_EQ(caches[i].map, kMaps[i]) << i;
  }
  EXPECT_EQ(caches[0].line_size, 64u);
  EXPECT_EQ(caches[0].sets, 64u);
  EXPECT_EQ(caches[0].ways, 8u);
  EXPECT_EQ(caches[0].size, "32K");
}

TEST(CpuDescriptions, AreUnderTheKeyOfTheArchitecture) {
  struct Case {
    const char *cpuinfo, *description;
  };
  for (const Case& each :
       {Case{"model name\\t: AMD  EPYC   7763 64-Core", "AMD EPYC 7763 64-Core"},
        Case{"cpu model\\t\\t: MIPS 24Kc V7.4", "MIPS 24Kc V7.4"},
        Case{"processor\\t: 0\\ncpu\\t\\t: POWER9 (raw)", "POWER9 (raw)"},
        Case{"Processor\\t: ARMv7 Processor rev 4 (v7l)", "ARMv7 Processor rev 4 (v7l)"},
        Case{"Model Name\\t\\t: Loongson-3A5000", "Loongson-3A5000"},
        Case{"cpu\\t: x\\nmodel name\\t: preferred", "preferred"}, Case{"processor\\t: 0\\nBogoMIPS\\t: 50.00", ""}}) {
    const testing::Machine machine;
    machine.write(fmt::format("/proc/cpuinfo = {}", each.cpuinfo));
    EXPECT_EQ(cpu_description(machine.root()), each.description);
  }
}

TEST(CpuIdentities, AreThoseOfTheFirstCpuAndEmptyElsewhere) {
  const testing::Machine machine;
  machine.write(
      "/proc/cpuinfo = vendor_id\\t: AuthenticAMD\\ncpu family\\t: 25\\nmodel\\t\\t: 1\\nmodel name\\t: x\\n"
      "stepping\\t: 1\\n\\nvendor_id\\t: Other\\nmodel\\t: 99");
  const CpuIdentity identity = cpu_identity(machine.root());
  EXPECT_EQ(cpuid_text(identity), "AuthenticAMD,25,1,1");
  EXPECT_EQ(cpuid_pmu_text(identity), "AuthenticAMD-25-1-1");
  machine.write("/proc/cpuinfo = processor\\t: 0\\nCPU implementer\\t: 0x41");
  EXPECT_EQ(cpuid_text(cpu_identity(machine.root())), "");
  EXPECT_EQ(cpuid_pmu_text(cpu_identity(machine.root())), "");
}

}  // namespace
}  // namespace peregrine
