#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/hardware/cpu.h"
#include "sys/hardware/memory.h"
#include "sys/hardware/pmu.h"
#include "sys/kernel/host.h"
#include "sys/kernel/tracefs.h"
#include "sys/process/cgroup.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {
namespace {

const Root kServer(PEREGRINE_FIXTURES "/sysroot/server");

TEST(CpuList, ParsesAndFormats) {
  EXPECT_EQ(*parse_cpu_list("0-3,8"), (CpuList{0, 1, 2, 3, 8}));
  EXPECT_EQ(*parse_cpu_list("8,1"), (CpuList{1, 8}));
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpu_list({}), "");
  for (const char* wrong : {"", "a", "3-1", "1,,2", "1-", "-1", "99999", "0-4294967296"})
    EXPECT_FALSE(parse_cpu_list(wrong)) << wrong;
}

TEST(CpuList, IsLimited) {
  EXPECT_EQ(parse_cpu_list("0-65535")->size(), kHighestCpu + 1);
  EXPECT_FALSE(parse_cpu_list("65536"));
  EXPECT_FALSE(parse_cpu_list("0-65535,0")) << "repeated numbers count";
}

TEST(Cgroup, PatternsNameGroups) {
  const std::string folder = ::testing::TempDir() + "peregrine-cgroups-" + std::to_string(::getpid());
  for (const char* name : {"/cg/web/one", "/cg/web/two", "/cg/db"}) std::filesystem::create_directories(folder + name);
  std::ofstream(folder + "/cg/web/tasks") << "";
  const Root root(folder);
  using Names = std::vector<std::string>;
  EXPECT_EQ(*cgroups_matching(root, "/cg", "^web"), (Names{"web", "web/one", "web/two"}));
  EXPECT_EQ(*cgroups_matching(root, "/cg", "one$,d[b]"), (Names{"db", "web/one"}));
  EXPECT_EQ(*cgroups_matching(root, "/cg", ".*"), (Names{"", "db", "web", "web/one", "web/two"}));
  EXPECT_TRUE(cgroups_matching(root, "/cg", "nobody*here")->empty());
  EXPECT_EQ(*cgroups_matching(root, "/cg", "one\\|d\\{1\\}b"), (Names{"db", "web/one"}));  // basic expressions
  EXPECT_TRUE(cgroups_matching(root, "/cg", "one|db")->empty());
  EXPECT_EQ(cgroups_matching(root, "/cg", "a[,b").error().message,
            "invalid regular expression 'a[': '[' without ']', at character 2");
  EXPECT_TRUE(is_cgroup_pattern("^a"));
  EXPECT_FALSE(is_cgroup_pattern("a.slice/b"));
  std::filesystem::remove_all(folder);
}

TEST(Cgroup, PerfsOwnHierarchyIsPreferred) {
  const std::string folder = ::testing::TempDir() + "peregrine-cgroup-" + std::to_string(::getpid());
  const auto mounted = [&](std::string_view lines) {
    std::filesystem::create_directories(folder + "/proc");
    std::ofstream(folder + "/proc/mounts") << lines;
    return cgroup_mount(Root(folder));
  };
  const std::string unified = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
  EXPECT_EQ(mounted("tmpfs /tmp tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"), "");
  EXPECT_EQ(mounted(unified), "/sys/fs/cgroup/unified");
  EXPECT_EQ(mounted(unified + "cgroup /sys/fs/cgroup/perf cgroup rw,perf_event 0 0\n"), "/sys/fs/cgroup/perf");
  EXPECT_EQ(mounted("broken\n\n a\n"), "");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(cgroup_mount(Root(folder)), "");
}

TEST(Cpu, ServerTopology) {
  const auto topology = cpu_topology(kServer);
  EXPECT_EQ(topology.package_siblings, (std::vector<std::string>{"0-1", "2-3"}));
  EXPECT_EQ(topology.die_siblings, (std::vector<std::string>{"0-1", "2-3"}));
  EXPECT_EQ(topology.core_siblings, (std::vector<std::string>{"0-1", "2-3"}));
  ASSERT_EQ(topology.places.size(), 4u);
  EXPECT_EQ(topology.places[3].socket, 1);
  EXPECT_EQ(online_cpus(kServer).size(), 4u);
  EXPECT_EQ(possible_cpus(kServer).size(), 8u);
}

TEST(Cpu, CachesAreDistinctAndSortedByLevel) {
  const auto caches = cpu_caches(kServer);
  ASSERT_EQ(caches.size(), 6u);
  EXPECT_EQ(caches[0].type, "Data");
  EXPECT_EQ(caches[0].map, "0-1");
  EXPECT_EQ(caches[1].type, "Instruction");
  EXPECT_EQ(caches[2].map, "2-3");
  EXPECT_EQ(caches[5].level, 2u);
}

TEST(Cpu, Identity) {
  EXPECT_EQ(cpu_description(kServer), "Intel(R) Xeon(R) Gold 5318Y CPU @ 2.10GHz");
  EXPECT_EQ(cpuid_text(cpu_identity(kServer)), "GenuineIntel,6,106,6");
  EXPECT_EQ(cpuid_pmu_text(cpu_identity(kServer)), "GenuineIntel-6-6A-6");
}

TEST(Memory, NodesAndBlocks) {
  EXPECT_EQ(total_memory_kb(kServer), 24689152u);
  const auto nodes = numa_nodes(kServer);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].total_kb, 1001u);
  EXPECT_EQ(nodes[1].free_kb, 501u);
  EXPECT_EQ(nodes[1].cpus, "2-3");
  const auto topology = memory_topology(kServer);
  EXPECT_EQ(topology.block_size, 0x8000000u);
  ASSERT_EQ(topology.nodes.size(), 2u);
  EXPECT_EQ(topology.nodes[0].bits, 66u);
  EXPECT_EQ(topology.nodes[0].blocks, (std::vector<u64>{3, 2}));
}

TEST(Host, FromFixture) {
  const auto server = read_host(kServer);
  EXPECT_EQ(server.hostname, "server");
  EXPECT_EQ(server.machine, "x86_64");
  EXPECT_EQ(server.available_cpus, 4u);
}

TEST(Host, LiveHasANameAndClocks) {
  EXPECT_FALSE(read_host(Root()).release.empty());
  EXPECT_TRUE(clock_resolution(1));
  EXPECT_FALSE(clock_resolution(1000));
  EXPECT_GT(read_clocks(1)->wall_ns, 0u);
}

TEST(Limit, SysctlsAndCapabilities) {
  const auto limits = perf_limits(kServer);
  EXPECT_EQ(limits.paranoid, 2);
  EXPECT_EQ(limits.max_sample_rate, 100000);
  EXPECT_EQ(limits.cpu_time_max_percent, std::nullopt);
  const auto caps = capabilities(kServer);
  EXPECT_FALSE(caps.may_trace());
  EXPECT_TRUE(caps.may_have(Capability::Perfmon));
  EXPECT_FALSE(paranoid_allows(limits, caps, 2));
  EXPECT_TRUE(paranoid_allows(limits, Capabilities{~u64{0}, ~u64{0}}, 0));
}

TEST(Confinement, OfAPlainUserAndOfAContainer) {
  const auto plain = confinement(Root(PEREGRINE_FIXTURES "/sysroot/desktop"));
  EXPECT_EQ(plain.euid, 1000u);
  EXPECT_EQ(plain.seccomp, Confinement::Seccomp::Off);
  EXPECT_EQ(plain.container, "");
  EXPECT_FALSE(plain.user_namespace);
  EXPECT_FALSE(plain.virtual_machine);
  EXPECT_EQ(plain.lockdown, "none");
  EXPECT_EQ(confinement(kServer).euid, 1001u);
}

TEST(Confinement, ResourceLimits) {
  const Root desktop(PEREGRINE_FIXTURES "/sysroot/desktop");
  EXPECT_EQ(resource_limit(desktop, "Max open files")->soft, 1024u);
  EXPECT_EQ(resource_limit(desktop, "Max open files")->hard, 1048576u);
  EXPECT_EQ(resource_limit(desktop, "Max locked memory")->hard, ~u64{0});
  EXPECT_FALSE(resource_limit(desktop, "Max nothing"));
}

// To everybody but root, the mount point looks empty, which does not mean "not mounted".
TEST(Tracefs, MountedButClosedIsDenied) {
  const auto closed = Tracefs::find(Root(PEREGRINE_FIXTURES "/sysroot/desktop"));
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::Denied);
  EXPECT_EQ(closed.error().hint,
            "run as root, or try 'sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing'; 'perf check' shows "
            "what else is needed");
}

TEST(Process, StatusTasksAndMaps) {
  EXPECT_EQ(all_processes(kServer), (std::vector<Pid>{5}));
  EXPECT_EQ(threads_of(kServer, 5), (std::vector<Pid>{5, 6}));
  EXPECT_EQ(comm_of(kServer, 5), "test");
  const auto status = status_of(kServer, 5);
  EXPECT_EQ(status->tgid, 5);
  EXPECT_EQ(status->uid, 1000u);
  EXPECT_EQ(status->euid, 1001u);
  EXPECT_FALSE(status->kernel_thread);
  EXPECT_FALSE(status_of(kServer, 7));
  std::vector<std::string> paths;
  ASSERT_TRUE(for_each_map(kServer, 5, [&](const MapLine& map) { paths.emplace_back(map.path); }));
  EXPECT_EQ(paths, (std::vector<std::string>{"/usr/bin/with space", "", "[vdso]"}));
  EXPECT_EQ(kernel_modules(kServer)[1].start, 0xffffffffc03f0000u);
}

TEST(Process, MapLine) {
  const auto map = parse_map_line("55d0c0a00000-55d0c0a01000 r-xp 00001000 08:11 1234    /bin/x");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->start, 0x55d0c0a00000u);
  EXPECT_EQ(map->offset, 0x1000u);
  EXPECT_EQ(map->prot, 5u);
  EXPECT_EQ(map->flags, 2u);
  EXPECT_EQ(map->major, 8u);
  EXPECT_EQ(map->minor, 0x11u);
  EXPECT_EQ(map->inode, 1234u);
  for (const char* wrong : {"", "x", "1-2", "1-2 r", "1-2 r-xp 0 08:01", "11111111111111111111111-2 r-xp 0 0:0 0 x"})
    EXPECT_FALSE(parse_map_line(wrong)) << wrong;
}

TEST(Tracefs, FindsEventsOnDemand) {
  const auto tracefs = Tracefs::find(kServer);
  ASSERT_TRUE(tracefs);
  EXPECT_EQ(tracefs->mount(), "/sys/kernel/tracing");
  auto systems = tracefs->systems();
  std::sort(systems.begin(), systems.end());
  EXPECT_EQ(systems, (std::vector<std::string>{"sched", "syscalls"}));
  EXPECT_EQ(tracefs->events("sched").size(), 3u);
  EXPECT_EQ(*tracefs->id("sched", "sched_switch"), 316u);
  EXPECT_FALSE(tracefs->id("sched", "nothing"));
  EXPECT_FALSE(tracefs->id("..", "sched_switch"));
  EXPECT_FALSE(Tracefs::find(Root("/nowhere")));
}

TEST(Pmu, FormatsEventsAndCpus) {
  const auto pmus = read_pmus(kServer);
  const auto find = [&](std::string_view name) {
    return *std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& p) { return p.name == name; });
  };
  const auto cpu = find("cpu");
  EXPECT_EQ(cpu.type, 4u);
  EXPECT_EQ(cpu.format("umask")->ranges[0].last, 15u);
  EXPECT_EQ(cpu.event("mem-loads")->terms, "event=0xcd,umask=0x1,ldlat=3");
  EXPECT_EQ(cpu.caps[0], (std::pair<std::string, std::string>("branches", "32")));
  EXPECT_FALSE(cpu.cpumask);
  const auto imc = find("uncore_imc_1");
  EXPECT_TRUE(imc.is_uncore);
  EXPECT_EQ(*imc.cpumask, (CpuList{0, 2}));
  EXPECT_EQ(imc.events.size(), 1u);
  EXPECT_EQ(imc.event("cas_count_read")->unit, "MiB");
  EXPECT_DOUBLE_EQ(imc.event("cas_count_read")->scale, 6.103515625e-5);
  EXPECT_FALSE(parse_pmu_format("x", "config:64"));
  EXPECT_FALSE(parse_pmu_format("x", "config9:1"));
  EXPECT_EQ(parse_pmu_format("x", "config2:0-3,60-63")->ranges.size(), 2u);
}

}  // namespace
}  // namespace peregrine
