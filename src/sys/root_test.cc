#include "sys/root.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/machine.h"
#include "sys/hardware/memory.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

TEST(Roots, ReadFilesBelowTheirPrefix) {
  const testing::Machine machine;
  machine.write("/proc/version = Linux version 6.1.0\\nsecond line");
  const Root root = machine.root();
  EXPECT_FALSE(root.live());
  EXPECT_TRUE(Root().live());
  EXPECT_EQ(*root.read("/proc/version"), "Linux version 6.1.0\nsecond line\n");
  EXPECT_EQ(root.line("/proc/version"), "Linux version 6.1.0");
  EXPECT_EQ(root.line("/proc/nothing"), std::nullopt);
  EXPECT_EQ(root.path("proc"), root.path("/proc"));
}

TEST(Roots, NumbersAreDecimalOrHexadecimal) {
  const testing::Machine machine;
  machine.write("/n/plain = \t17 ");
  machine.write("/n/hex = 0x1f");
  machine.write("/n/negative = -1");
  machine.write("/n/text = 17 kB");
  machine.write("/n/empty = ");
  const Root root = machine.root();
  EXPECT_EQ(root.number("/n/plain"), 17);
  EXPECT_EQ(root.number("/n/hex"), 31);
  EXPECT_EQ(root.number("/n/negative"), -1);
  EXPECT_EQ(root.number("/n/text"), std::nullopt);
  EXPECT_EQ(root.number("/n/empty"), std::nullopt);
}

TEST(Roots, ListFoldersAndFollowLinks) {
  const testing::Machine machine;
  machine.write("/d/b = 1");
  machine.write("/d/a/file = 1");
  const Root root = machine.root();
  ASSERT_EQ(::symlink("target", root.path("/d/link").c_str()), 0);
  EXPECT_EQ(root.sorted_names("/d"), (std::vector<std::string>{"a", "b", "link"}));
  EXPECT_TRUE(root.names("/nothing").empty());
  EXPECT_TRUE(root.is_directory("/d/a"));
  EXPECT_FALSE(root.is_directory("/d/b"));
  EXPECT_EQ(root.link("/d/link"), "target");
  EXPECT_EQ(root.link("/d/b"), std::nullopt);
  EXPECT_FALSE(root.exists("/d/link")) << "it leads nowhere";
}

// Each level of perf_event_paranoid forbids what is above it.
TEST(Paranoia, ForbidsMoreAtHigherLevels) {
  const Capabilities nothing;
  PerfLimits limits;
  limits.paranoid = 1;
  EXPECT_TRUE(paranoid_allows(limits, nothing, 2)) << "the kernel may be profiled";
  EXPECT_FALSE(paranoid_allows(limits, nothing, 1)) << "other users' CPUs may not";
  limits.paranoid = -1;
  EXPECT_TRUE(paranoid_allows(limits, nothing, 0));
}

TEST(Paranoia, DoesNotBindThePrivileged) {
  PerfLimits limits;
  limits.paranoid = 4;
  for (const Capability capability : {Capability::Perfmon, Capability::SysAdmin})
    EXPECT_TRUE(paranoid_allows(limits, {.effective = u64{1} << static_cast<unsigned>(capability)}, 0));
  EXPECT_FALSE(paranoid_allows(limits, {.permitted = ~u64{0}}, 0)) << "what may be raised is not raised yet";
}

TEST(MemoryOfTheMachine, IsZeroWhereUnknown) {
  const testing::Machine machine;
  EXPECT_EQ(total_memory_kb(machine.root()), 0u);
  EXPECT_TRUE(numa_nodes(machine.root()).empty());
  EXPECT_EQ(memory_topology(machine.root()).block_size, 0u);
  machine.write("/proc/meminfo = MemTotal:       2048 kB\\nMemFree: 1 kB\\nMemAvailable:   1024 kB");
  EXPECT_EQ(total_memory_kb(machine.root()), 2048u);
  EXPECT_EQ(available_memory_kb(machine.root()), 1024u);
}

TEST(MemoryOfTheMachine, BlocksAreABitmapPerNode) {
  const testing::Machine machine;
  machine.write("/sys/devices/system/memory/block_size_bytes = 8000000");
  machine.write("/sys/devices/system/node/node1/memory0/state = online");
  machine.write("/sys/devices/system/node/node1/memory65/state = online");
  machine.write("/sys/devices/system/node/node1/memory99999999999/state = online");
  machine.write("/sys/devices/system/node/node0/meminfo = Node 0 MemTotal: 1 kB");
  machine.write("/sys/devices/system/node/possible = 0-1");
  const MemoryTopology topology = memory_topology(machine.root());
  EXPECT_EQ(topology.block_size, 0x8000000u) << "hexadecimal without 0x";
  ASSERT_EQ(topology.nodes.size(), 2u);
  EXPECT_EQ(topology.nodes[0].id, 0u);
  EXPECT_EQ(topology.nodes[0].bits, 0u);
  EXPECT_EQ(topology.nodes[1].bits, 66u) << "a block beyond all memory is none";
  EXPECT_EQ(topology.nodes[1].blocks, (std::vector<u64>{1, 2}));
}

}  // namespace
}  // namespace peregrine
