#include "analysis/stat/stat_place.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

// Two sockets with two dies of two cores of two hardware threads each; the threads of a core are 8 apart, as on
// servers. A die shares an L3, a core an L2 and an L1; the second socket is NUMA node 1, except for its last core,
// which is node 3.
CpuArrangement server() {
  CpuArrangement made;
  for (int cpu = 0; cpu < 16; ++cpu) {
    const int core = cpu % 8;
    made.topology.places.push_back({.core = core % 4, .socket = core / 4, .die = core / 2 % 2, .cluster = core % 2});
    if (cpu >= 8) continue;
    const std::string map = fmt::format("{},{}", cpu, cpu + 8);
    made.caches.push_back({.level = 1, .type = "Data", .size = "32K", .map = map});
    made.caches.push_back({.level = 1, .type = "Instruction", .size = "32K", .map = map});
    made.caches.push_back({.level = 2, .type = "Unified", .size = "1M", .map = map});
    if (cpu % 2 == 0)
      made.caches.push_back({.level = 3,
                             .type = "Unified",
                             .size = "32M",
                             .map = fmt::format("{}-{},{}-{}", cpu, cpu + 1, cpu + 8, cpu + 9)});
  }
  made.nodes = {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 12, 13, 14}, {}, {7, 15}};
  return made;
}

CpuList all() {
  CpuList cpus;
  for (int cpu = 0; cpu < 16; ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::string summary(const std::vector<StatPlace>& places) {
  std::string text;
  for (const StatPlace& place : places)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", place.label, format_cpu_list(place.cpus));
  return text;
}

TEST(StatPlaces, OfAServer) {
  const CpuArrangement arrangement = server();
  const auto of = [&](StatAggregation by, u32 level = 0) { return summary(cpu_places(by, all(), arrangement, level)); };
  EXPECT_EQ(of(StatAggregation::Socket), "S0:0-3,8-11 S1:4-7,12-15");
  EXPECT_EQ(of(StatAggregation::Die), "S0-D0:0-1,8-9 S0-D1:2-3,10-11 S1-D0:4-5,12-13 S1-D1:6-7,14-15");
  EXPECT_EQ(of(StatAggregation::Core),
            "S0-D0-C0:0,8 S0-D0-C1:1,9 S0-D1-C2:2,10 S0-D1-C3:3,11 S1-D0-C0:4,12 S1-D0-C1:5,13 S1-D1-C2:6,14 "
            "S1-D1-C3:7,15");
  EXPECT_EQ(of(StatAggregation::Cluster).substr(0, 30), "S0-D0-CLS0:0,8 S0-D0-CLS1:1,9 ");
  EXPECT_EQ(of(StatAggregation::Node), "N0:0-3,8-11 N1:4-6,12-14 N3:7,15");
  EXPECT_EQ(of(StatAggregation::Cache),
            "S0-D0-L3-ID0:0-1,8-9 S0-D1-L3-ID2:2-3,10-11 S1-D0-L3-ID4:4-5,12-13 "
            "S1-D1-L3-ID6:6-7,14-15");
  EXPECT_EQ(of(StatAggregation::Cache, 1).substr(0, 36), "S0-D0-L1-ID0:0,8 S0-D0-L1-ID1:1,9 S0");
}

TEST(StatPlaces, OfSomeCpusOnly) {
  EXPECT_EQ(summary(cpu_places(StatAggregation::Core, {3, 4, 12}, server())), "S0-D1-C3:3 S1-D0-C0:4,12");
  const auto cpus = cpu_places(StatAggregation::Cpu, {12, 3}, server());
  ASSERT_EQ(cpus.size(), 2u);
  EXPECT_EQ(cpus[0].label, "CPU3");
  EXPECT_EQ(cpus[1].name, "12");
}

TEST(StatPlaces, UnknownCpusAreNumberZero) {
  EXPECT_EQ(summary(cpu_places(StatAggregation::Die, {0, 1}, {})), "S0-D0:0-1");
  EXPECT_EQ(summary(cpu_places(StatAggregation::Cache, {0}, server(), 4)), "S0-D0-L4-ID-1:0");
}

TEST(StatPlaces, OfRecordedMachines) {
  data::Features features;
  features.cpu_topology.emplace();
  features.cpu_topology->cpus = {{0, 0, 0}, {0, 1, 0}};
  features.numa_topology = {{.id = 1, .total_kb = 1, .free_kb = 1, .cpus = "1"}, {.id = 4'000'000'000, .cpus = "0"}};
  features.caches = {{.level = 2, .type = "Unified", .size = "1M", .cpus = "0-1"}};
  const CpuArrangement arrangement = recorded_arrangement(features);
  EXPECT_EQ(summary(cpu_places(StatAggregation::Socket, {0, 1}, arrangement)), "S0:0 S1:1");
  EXPECT_EQ(summary(cpu_places(StatAggregation::Node, {0, 1}, arrangement)), "N0:0 N1:1");
  EXPECT_EQ(summary(cpu_places(StatAggregation::Cache, {0, 1}, arrangement)), "S0-D0-L2-ID0:0 S1-D0-L2-ID0:1");
}

}  // namespace
}  // namespace peregrine
