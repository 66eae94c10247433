#include "capture/diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

#include "base/types.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"
#include "sys/root.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {
namespace {

const Root kDesktop(PEREGRINE_FIXTURES "/sysroot/desktop");

Facts desktop(i64 paranoid) {
  Facts facts = read_facts(kDesktop);
  facts.limits.paranoid = paranoid;
  return facts;
}

const Finding& find(const Diagnosis& diagnosis, std::string_view what) {
  for (const auto& group : diagnosis.groups)
    for (const auto& finding : group.findings)
      if (finding.what.find(what) != std::string::npos) return finding;
  static const Finding kNone{"nothing of that name", Verdict::Absent, ""};
  return kNone;
}

TEST(Facts, OfADesktop) {
  const Facts facts = read_facts(kDesktop);
  EXPECT_EQ(facts.limits.paranoid, 3);
  EXPECT_EQ(facts.core_pmu, "cpu");
  EXPECT_TRUE(facts.tracefs_mounted);
  EXPECT_EQ(facts.tracefs, "");
  EXPECT_FALSE(facts.kernel_addresses);
  EXPECT_EQ(facts.kernel_image, "/usr/lib/debug/boot/vmlinux-6.1.0-13-amd64");
}

// Which of the kernel's rules applies at which level; without trials, they alone decide.
TEST(Diagnosis, EachLevelOfParanoidAllowsLess) {
  constexpr std::string_view kLevels[] = {"user space", "with the kernel", "whole machine"};
  for (const int paranoid : {-1, 0, 1, 2, 3, 4}) {
    const Diagnosis diagnosis = diagnose(desktop(paranoid), {}, "perf");
    for (int row = 0; row < 3; ++row) {
      const auto expected = paranoid <= 2 - row ? Verdict::Works : Verdict::Denied;
      EXPECT_EQ(find(diagnosis, kLevels[row]).verdict, expected) << paranoid << " " << kLevels[row];
    }
    EXPECT_EQ(diagnosis.can_record, paranoid <= 2) << paranoid;
  }
}

TEST(Diagnosis, PrivilegeBeatsTheLevel) {
  Facts facts = desktop(4);
  facts.capabilities.effective = facts.capabilities.permitted = u64{1} << static_cast<unsigned>(Capability::Perfmon);
  EXPECT_EQ(find(diagnose(facts, {}, "perf"), "whole machine").verdict, Verdict::Works);
  facts.confinement.user_namespace = true;  // the kernel ignores capabilities held in a user namespace
  EXPECT_EQ(find(diagnose(facts, {}, "perf"), "whole machine").verdict, Verdict::Denied);
}

TEST(Diagnosis, ARefusalThatTheRulesDoNotExplainNamesWhatElseRefuses) {
  Facts facts = desktop(-1);
  Trials trials;
  trials[Trial::OwnUser] = ENOSYS;
  EXPECT_EQ(find(diagnose(facts, trials, "perf"), "user space").why, "perf events are not built into this kernel");
  facts.confinement.seccomp = Confinement::Seccomp::Filter;
  facts.confinement.container = "docker";
  const Diagnosis diagnosis = diagnose(facts, trials, "perf");
  EXPECT_EQ(find(diagnosis, "user space").why,
            "a seccomp filter of the docker container blocks perf_event_open: Function not implemented");
  ASSERT_EQ(diagnosis.remedies.size(), 1u);
  EXPECT_TRUE(diagnosis.remedies[0].command.starts_with("docker run --cap-add=PERFMON"));
}

TEST(Diagnosis, ATrialThatWorksBeatsARuleThatForbids) {
  Trials trials;
  trials[Trial::OwnUser] = 0;  // Ubuntu's level 3 still allows this
  EXPECT_TRUE(diagnose(desktop(3), trials, "perf").can_record);
}

TEST(Diagnosis, NextCommandsWorkHere) {
  EXPECT_TRUE(diagnose(desktop(3), {}, "perf").next.empty());
  const Diagnosis own = diagnose(desktop(2), {}, "perf");
  ASSERT_EQ(own.next.size(), 2u);
  EXPECT_EQ(own.next[0].command, "perf record -g ./program");
  EXPECT_EQ(own.next[1].command, "perf stat ./program");
  const Diagnosis machine = diagnose(desktop(0), {}, "perf");
  ASSERT_EQ(machine.next.size(), 3u);
  EXPECT_EQ(machine.next[1].command, "perf top");
  Facts facts = desktop(-1);
  facts.tracefs = "/sys/kernel/tracing";
  EXPECT_EQ(diagnose(facts, {}, "perf").next.back().command, "perf trace -s ./program");
}

TEST(Diagnosis, HardwareCounters) {
  Trials trials;
  trials[Trial::OwnUser] = 0;
  trials[Trial::Cycles] = ENOENT;
  Facts facts = desktop(2);
  facts.confinement.virtual_machine = true;
  EXPECT_EQ(find(diagnose(facts, trials, "perf"), "hardware").why,
            "this virtual machine has none; cpu-clock is used instead of cycles");
  trials[Trial::Cycles] = 0;
  trials[Trial::PreciseCycles] = EOPNOTSUPP;
  EXPECT_EQ(find(diagnose(facts, trials, "perf"), "hardware").why, "the NMI watchdog uses one of them");
  EXPECT_EQ(find(diagnose(facts, trials, "perf"), "precise").verdict, Verdict::Absent);
}

TEST(Diagnosis, NamesTheWallsOfTheSandbox) {
  Facts facts = desktop(2);
  facts.sandbox = SandboxWalls{.landlock = 4, .seccomp = true, .broker = false};
  facts.confinement.euid = 1000;
  EXPECT_EQ(find(diagnose(facts, {}, "perf"), "sandbox").why, "Landlock 4, a seccomp filter; on with --sandbox");
  facts.confinement.euid = 0;
  facts.sandbox = SandboxWalls{.landlock = 0, .seccomp = true, .broker = true};
  EXPECT_EQ(find(diagnose(facts, {}, "perf"), "sandbox").why,
            "a seccomp filter, a broker for output files; off with --no-sandbox");
  facts.sandbox = SandboxWalls{};
  EXPECT_EQ(find(diagnose(facts, {}, "perf"), "sandbox").verdict, Verdict::Absent);
}

// The trials of this process: whatever the machine, each was tried and returned 0 or an errno.
TEST(Ability, EveryTrialEnds) {
  const Trials trials = try_everything(std::nullopt);
  EXPECT_FALSE(trials[Trial::Tracepoint]);
  for (const Trial trial : {Trial::OwnUser, Trial::OwnKernel, Trial::WholeMachine, Trial::Cycles, Trial::Bpf}) {
    ASSERT_TRUE(trials[trial]);
    EXPECT_GE(*trials[trial], 0);
  }
}

}  // namespace
}  // namespace peregrine
