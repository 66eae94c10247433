#include "sys/process/confinement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/machine.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

using Seccomp = Confinement::Seccomp;

TEST(Containers, AreKnownByTheirMarks) {
  struct Case {
    const char *line, *container;
  };
  for (const Case& each : {Case{"/run/.containerenv = engine=podman", "podman"}, Case{"/.dockerenv = ", "docker"},
                           Case{"/run/systemd/container = systemd-nspawn", "systemd-nspawn"},
                           Case{"/proc/self/cgroup = 12:cpu:/docker/0123abcd", "docker"},
                           Case{"/proc/self/cgroup = 0::/machine.slice/libpod-0123.scope", "podman"},
                           Case{"/proc/self/cgroup = 0::/kubepods/burstable/pod1", "kubepods"},
                           Case{"/proc/self/cgroup = 0::/lxc.payload.web", "lxc"},
                           Case{"/proc/self/cgroup = 0::/user.slice/user-1000.slice", ""}}) {
    const testing::Machine machine;
    machine.write(each.line);
    EXPECT_EQ(confinement(machine.root()).container, each.container) << each.line;
  }
}

// A container image may leave its marker on a machine installed from it.
TEST(Containers, HaveAnotherPidNamespaceThanTheMachine) {
  const testing::Machine machine;
  machine.write("/.dockerenv = ");
  std::filesystem::create_directories(machine.root().path("/proc/self/ns"));
  const std::string link = machine.root().path("/proc/self/ns/pid");
  std::filesystem::create_symlink("pid:[4026531836]", link);
  EXPECT_EQ(confinement(machine.root()).container, "");
  std::filesystem::remove(link);
  std::filesystem::create_symlink("pid:[4026532201]", link);
  EXPECT_EQ(confinement(machine.root()).container, "docker");
}

TEST(Confinements, ReadTheStatusOfTheProcess) {
  struct Case {
    const char* status;
    u32 euid;
    Seccomp seccomp;
  };
  for (const Case& each :
       {Case{"Uid:\\t1000\\t0\\t1000\\t1000\\nSeccomp:\\t2\\nSeccomp_filters:\\t1", 0, Seccomp::Filter},
        Case{"Uid:\\t1000\\t1001\\t1002\\t1003\\nSeccomp:\\t1", 1001, Seccomp::Strict},
        Case{"Uid:\\t5\\t6\\t7\\t8\\nSeccomp:\\t0", 6, Seccomp::Off},
        Case{"Uid:\\t5\\t6\\t7\\t8", 6, Seccomp::Off},  // a kernel without seccomp
        Case{"Uid:\\t5\\t6\\t7\\t8\\nSeccomp:\\t9", 6, Seccomp::Filter}}) {
    const testing::Machine machine;
    machine.write(fmt::format("/proc/self/status = {}", each.status));
    const Confinement found = confinement(machine.root());
    EXPECT_EQ(found.euid, each.euid) << each.status;
    EXPECT_EQ(found.seccomp, each.seccomp) << each.status;
  }
}

TEST(Confinements, KnowTheFirstUserNamespaceByItsMap) {
  struct Case {
    const char* map;
    bool inside;
  };
  for (const Case& each : {Case{"         0          0 4294967295", false},
                           Case{"         0       1000          1", true}, Case{"0 100000 65536", true}}) {
    const testing::Machine machine;
    machine.write(fmt::format("/proc/self/uid_map = {}", each.map));
    EXPECT_EQ(confinement(machine.root()).user_namespace, each.inside) << each.map;
  }
  EXPECT_FALSE(confinement(testing::Machine().root()).user_namespace) << "a kernel without them";
}

TEST(Confinements, KnowVirtualMachinesByTheProcessorOrXen) {
  struct Case {
    const char* line;
    bool is_virtual;
  };
  for (const Case& each :
       {Case{"/proc/cpuinfo = processor\\t: 0\\nflags\\t\\t: fpu sse hypervisor lahf_lm", true},
        Case{"/proc/cpuinfo = processor\\t: 0\\nflags\\t\\t: fpu sse lahf_lm", false},
        Case{"/proc/cpuinfo = model name\\t: the hypervisor flags", false}, Case{"/sys/hypervisor/type = xen", true}}) {
    const testing::Machine machine;
    machine.write(each.line);
    EXPECT_EQ(confinement(machine.root()).virtual_machine, each.is_virtual) << each.line;
  }
}

TEST(Confinements, ReadTheChosenLockdown) {
  struct Case {
    const char *text, *chosen;
  };
  for (const Case& each :
       {Case{"[none] integrity confidentiality", "none"}, Case{"none [integrity] confidentiality", "integrity"},
        Case{"none integrity [confidentiality]", "confidentiality"}, Case{"none integrity", ""},
        Case{"none ]integrity[", ""}, Case{"[none", ""}}) {
    const testing::Machine machine;
    machine.write(fmt::format("/sys/kernel/security/lockdown = {}", each.text));
    EXPECT_EQ(confinement(machine.root()).lockdown, each.chosen) << each.text;
  }
}

TEST(ResourceLimits, AreARowOfSoftAndHard) {
  const testing::Machine machine;
  machine.write(
      "/proc/self/limits = Limit                     Soft Limit           Hard Limit           Units     \\n"
      "Max open files            1024                 524288               files     \\n"
      "Max realtime timeout      unlimited            unlimited            us        \\n"
      "Max nice priority         0                    0                    \\n");
  const auto limit = [&](std::string_view row) { return resource_limit(machine.root(), row); };
  EXPECT_EQ(limit("Max open files")->soft, 1024u);
  EXPECT_EQ(limit("Max open files")->hard, 524288u);
  EXPECT_EQ(limit("Max realtime timeout")->soft, ~u64{0});
  EXPECT_EQ(limit("Max nice priority")->hard, 0u) << "a row without a unit";
  EXPECT_FALSE(limit("Max msgqueue size"));
}

TEST(CapabilitySets, AreHexadecimal) {
  const testing::Machine machine;
  machine.write(
      "/proc/self/status = CapInh:\\t0000000000000000\\nCapPrm:\\t000000c000000000\\nCapEff:\\t0000004000200000");
  const Capabilities held = capabilities(machine.root());
  EXPECT_TRUE(held.has(Capability::Perfmon));
  EXPECT_TRUE(held.has(Capability::SysAdmin));
  EXPECT_FALSE(held.has(Capability::Bpf));
  EXPECT_TRUE(held.may_have(Capability::Bpf));
  EXPECT_FALSE(held.may_have(Capability::SysAdmin));
  EXPECT_TRUE(held.may_trace());
  machine.write("/proc/self/status = CapEff:\\t000001ffffffffff");
  EXPECT_TRUE(capabilities(machine.root()).has(Capability::DacOverride));
  EXPECT_EQ(capabilities(machine.root()).permitted, 0u) << "the row is missing";
  EXPECT_EQ(capabilities(testing::Machine().root()).effective, 0u);
}

}  // namespace
}  // namespace peregrine
