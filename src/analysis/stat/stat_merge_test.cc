#include "analysis/stat/stat_merge.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

EventSpec of_pmu(const char* name, const char* pmu, bool auto_merge = true) {
  EventSpec spec;
  spec.name = name;
  spec.pmu = pmu;
  spec.auto_merge = auto_merge;
  return spec;
}
using Merged = std::vector<std::vector<std::size_t>>;

TEST(StatMerge, OneRowForThePmusOfOneKind) {
  const EventList list{of_pmu("imc/reads/", "imc_0"), of_pmu("imc/writes/", "imc_0"), of_pmu("imc/reads/", "imc_1"),
                       of_pmu("imc/writes/", "imc_1")};
  EXPECT_EQ(merged_events(list), (Merged{{0, 2}, {1, 3}, {}, {}}));
}

TEST(StatMerge, ShowsRepeatedEventsTwice) {
  const EventList list{of_pmu("reads", "imc_0"), of_pmu("reads", "imc_1"), of_pmu("reads", "imc_0"),
                       of_pmu("reads", "imc_1")};
  EXPECT_EQ(merged_events(list), (Merged{{0, 1}, {}, {2, 3}, {}}));
}

TEST(StatMerge, OtherUnitsAndGroupsStayApart) {
  EventList list{of_pmu("reads", "imc_0"), of_pmu("reads", "imc_1"), of_pmu("reads", "imc_2"),
                 of_pmu("reads", "imc_3", false)};
  list[1].unit = "MiB";
  list[2].cgroup = "/cg/web";
  EXPECT_EQ(merged_events(list), (Merged{{0}, {1}, {2}, {3}}));
}

TEST(StatMerge, NamesThatTellPmusApart) {
  EventList list{of_pmu("imc/reads/", "imc_0"), of_pmu("reads", "imc_1"), of_pmu("imc_1/reads/", "imc_1"),
                 of_pmu("reads", "imc_1", false)};
  name_by_pmu(list);
  EXPECT_EQ(list[0].name, "imc_0/reads/");
  EXPECT_EQ(list[1].name, "reads [imc_1]");
  EXPECT_EQ(list[2].name, "imc_1/reads/");
  EXPECT_EQ(list[3].name, "reads");
}

TEST(StatMerge, NamesWithoutTheKindOfCore) {
  EventList list{of_pmu("cpu_core/cycles/", "cpu_core"), of_pmu("cpu_atom/cycles/u", "cpu_atom"),
                 of_pmu("uncore_imc/reads/", "uncore_imc")};
  list[0].own_cpus = list[1].own_cpus = list[2].own_cpus = {0};
  list[2].system_wide = true;
  name_without_core(list);
  EXPECT_EQ(list[0].name, "cycles");
  EXPECT_EQ(list[1].name, "cyclesu");
  EXPECT_EQ(list[2].name, "uncore_imc/reads/");
}

}  // namespace
}  // namespace peregrine
