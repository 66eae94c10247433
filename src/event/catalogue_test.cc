#include "event/catalogue.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

std::vector<std::string> shown(EventKind kind, CatalogueFilter filter = {}) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  const auto entries = catalogue(sources, kind, filter, [](u32 type, u64 config) { return type != 0 || config < 2; });
  std::vector<std::string> result;
  for (const auto& entry : *entries) result.push_back(entry.shown);
  return result;
}
using Names = std::vector<std::string>;

TEST(Catalogue, OnlyWhatTheKernelOpens) {
  EXPECT_EQ(shown(EventKind::Hardware), (Names{"cpu-cycles OR cycles", "instructions"}));
  EXPECT_EQ(shown(EventKind::Software).size(), 12u);
  EXPECT_EQ(shown(EventKind::Software).front(), "alignment-faults");
  EXPECT_EQ(shown(EventKind::HardwareCache).size(), 32u);
}

TEST(Catalogue, GlobsMatchNamesAndAliases) {
  EXPECT_EQ(shown(EventKind::Hardware, {"*cycles*", ""}), (Names{"cpu-cycles OR cycles"}));
  EXPECT_EQ(shown(EventKind::Software, {"cs", ""}), (Names{"context-switches OR cs"}));
  EXPECT_EQ(shown(EventKind::Tool, {"*duration*", ""}), (Names{"duration_time"}));
}

TEST(Catalogue, CpuEventsComeFirst) {
  EXPECT_EQ(shown(EventKind::KernelPmu),
            (Names{"branch-misses OR cpu/branch-misses/", "cpu-cycles OR cpu/cpu-cycles/",
                   "instructions OR cpu/instructions/", "mem-loads OR cpu/mem-loads/", "slots OR cpu/slots/",
                   "power/energy-pkg/", "uncore_imc_0/cas_count_read/", "uncore_imc_1/cas_count_read/"}));
  EXPECT_EQ(shown(EventKind::KernelPmu, {"*energy*", ""}), (Names{"power/energy-pkg/"}));
}

TEST(Catalogue, Tracepoints) {
  EXPECT_EQ(shown(EventKind::Tracepoint, {"*", "sched"}),
            (Names{"sched:sched_process_exec", "sched:sched_process_fork", "sched:sched_switch"}));
  EXPECT_EQ(shown(EventKind::Tracepoint, {"*openat*", ""}), (Names{"syscalls:sys_enter_openat"}));
  EventSources nothing(Root("/nowhere"));
  EXPECT_FALSE(catalogue(nothing, EventKind::Tracepoint, {}, nullptr));
}

}  // namespace
}  // namespace peregrine
