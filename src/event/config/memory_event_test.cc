#include "event/config/memory_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/machine.h"

namespace peregrine {
namespace {

std::string on(const char* machine) {
  const testing::Machine fake(PEREGRINE_FIXTURES, machine);
  EventSources sources(fake.root());
  std::string lines;
  for (const MemoryEvent& event : memory_events(sources, 50))
    lines +=
        fmt::format("{} {}{}{}\n", event.tag, event.text, event.loads ? " loads" : "", event.stores ? " stores" : "");
  return lines;
}

TEST(MemoryEvent, ByProcessor) {
  EXPECT_EQ(on("intel-server"), "ldlat-loads cpu/mem-loads,ldlat=50/P loads\nldlat-stores cpu/mem-stores/P stores\n");
  EXPECT_EQ(on("amd-zen3"), "mem-ldst ibs_op// loads stores\n");
  EXPECT_EQ(on("s390"), "");
  // Each kind of core has its own.
  EXPECT_NE(on("intel-hybrid").find("cpu_atom/mem-stores/P"), std::string::npos);
  EXPECT_NE(on("intel-hybrid").find("cpu_core/mem-loads,ldlat=50/P"), std::string::npos);
}

}  // namespace
}  // namespace peregrine
