// The kernel's rules for capabilities and settings, one by one, and the remedies for what they forbid.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/types.h"
#include "capture/diagnosis/ability.h"
#include "capture/diagnosis/diagnosis.h"
#include "capture/diagnosis/facts.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

constexpr u64 bit_of(Capability capability) { return u64{1} << static_cast<unsigned>(capability); }

// A machine where everything is mounted and visible, used by an ordinary user.
Facts open_machine(const std::vector<Capability>& capabilities = {}) {
  Facts facts;
  facts.limits = {.paranoid = 2, .kptr_restrict = 0, .mlock_kb = 516};
  for (const Capability capability : capabilities) facts.capabilities.effective |= bit_of(capability);
  facts.capabilities.permitted = facts.capabilities.effective;
  facts.confinement.euid = 1000;
  facts.tracefs = "/sys/kernel/tracing";
  facts.tracefs_mounted = facts.kprobes = facts.uprobes = facts.kernel_addresses = true;
  facts.core_pmu = "cpu";
  return facts;
}

// "works", "denied: why", "absent: why", "fact: why"; "" if there is no such finding.
std::string finding_text(const Diagnosis& diagnosis, std::string_view what) {
  constexpr std::string_view kVerdicts[] = {"works", "denied", "absent", "fact"};
  for (const FindingGroup& group : diagnosis.groups)
    for (const Finding& finding : group.findings)
      if (finding.what == what)
        return fmt::format("{}{}{}", kVerdicts[static_cast<unsigned>(finding.verdict)], finding.why.empty() ? "" : ": ",
                           finding.why);
  return {};
}

std::string rule_of(const Facts& facts, std::string_view what, const Trials& trials = {}) {
  return finding_text(diagnose(facts, trials, "perf"), what);
}

std::vector<std::string> remedy_commands(const Facts& facts, const Trials& trials = {}) {
  std::vector<std::string> commands;
  for (const Remedy& remedy : diagnose(facts, trials, "perf").remedies) commands.push_back(remedy.command);
  return commands;
}

constexpr std::string_view kUnprivilegedBpf = "denied: needs CAP_BPF and CAP_PERFMON, or root";

// bpf(2): a perf event program needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN instead of both.
TEST(DiagnosisOfBpf, TakesBothCapabilities) {
  struct Case {
    std::vector<Capability> capabilities;
    std::string_view finding;
  };
  for (const Case& each :
       {Case{{}, kUnprivilegedBpf}, Case{{Capability::Bpf}, kUnprivilegedBpf},
        Case{{Capability::Perfmon}, kUnprivilegedBpf}, Case{{Capability::Bpf, Capability::Perfmon}, "works"},
        Case{{Capability::SysAdmin}, "works"}}) {
    EXPECT_EQ(rule_of(open_machine(each.capabilities), "BPF programs"), each.finding) << each.capabilities.size();
  }
}

TEST(DiagnosisOfBpf, ExplainsWhatATrialFound) {
  struct Case {
    int error;
    std::vector<Capability> capabilities;
    std::string_view finding;
  };
  for (const Case& each :
       {Case{0, {}, "works"}, Case{ENOSYS, {Capability::SysAdmin}, "absent: not built into this kernel"},
        Case{EPERM, {}, kUnprivilegedBpf}, Case{EPERM, {Capability::Perfmon}, kUnprivilegedBpf},
        Case{EPERM, {Capability::SysAdmin}, "denied: a security module denies it: Operation not permitted"},
        Case{EINVAL, {Capability::SysAdmin}, "denied: the kernel rejects it: Invalid argument"}}) {
    Trials trials;
    trials[Trial::Bpf] = each.error;
    EXPECT_EQ(rule_of(open_machine(each.capabilities), "BPF programs", trials), each.finding) << each.error;
  }
}

// perf_event_mlock_kb is lifted by CAP_IPC_LOCK alone, or for everybody at level -1.
TEST(DiagnosisOfRings, OnlyIpcLockLiftsTheirLimit) {
  constexpr std::string_view kLimited = "fact: 516 kB per CPU (kernel.perf_event_mlock_kb)";
  EXPECT_EQ(rule_of(open_machine(), "ring buffer memory"), kLimited);
  EXPECT_EQ(rule_of(open_machine({Capability::Perfmon, Capability::SysAdmin}), "ring buffer memory"), kLimited);
  EXPECT_EQ(rule_of(open_machine({Capability::IpcLock}), "ring buffer memory"), "fact: unlimited");
  Facts facts = open_machine();
  facts.limits.paranoid = -1;
  EXPECT_EQ(rule_of(facts, "ring buffer memory"), "fact: unlimited");
}

// The files that create probes belong to root, even where a group may read tracefs.
TEST(DiagnosisOfProbes, MakingOneTakesRoot) {
  constexpr std::string_view kRootsOnly = "denied: creating one needs root";
  EXPECT_EQ(rule_of(open_machine(), "kprobes"), kRootsOnly);
  EXPECT_EQ(rule_of(open_machine({Capability::Perfmon}), "uprobes"), kRootsOnly);
  EXPECT_EQ(rule_of(open_machine({Capability::Perfmon, Capability::DacOverride}), "uprobes"), "works");
  Facts root = open_machine({Capability::Perfmon, Capability::SysAdmin});
  root.confinement.euid = 0;
  EXPECT_EQ(rule_of(root, "kprobes"), "works");
  EXPECT_EQ(rule_of(root, "uprobes"), "works");
  root.confinement.lockdown = "confidentiality";
  EXPECT_EQ(rule_of(root, "kprobes"), "denied: blocked by kernel lockdown (confidentiality)");
  EXPECT_EQ(rule_of(root, "uprobes"), "works") << "lockdown protects kernel memory only";
  root.uprobes = false;
  EXPECT_EQ(rule_of(root, "uprobes"), "absent: not built into this kernel");
  root.tracefs.clear();
  EXPECT_EQ(rule_of(root, "kprobes"), "") << "unknown";
}

TEST(DiagnosisOfOthers, TakesACapabilityAndSomethingToRecord) {
  constexpr std::string_view kWhat = "processes of other users (-p)";
  constexpr std::string_view kDenied = "denied: needs CAP_PERFMON or root";
  EXPECT_EQ(rule_of(open_machine(), kWhat), kDenied);
  EXPECT_EQ(rule_of(open_machine({Capability::Perfmon}), kWhat), "works");
  EXPECT_EQ(rule_of(open_machine({Capability::SysPtrace}), kWhat), "works");
  Facts closed = open_machine({Capability::SysPtrace});
  closed.limits.paranoid = 3;
  EXPECT_EQ(rule_of(closed, kWhat), kDenied) << "not even the own processes can be recorded";
}

TEST(DiagnosisOfHardware, SaysWhyThereAreNoCounters) {
  struct Case {
    std::optional<int> trial;
    bool virtual_machine;
    i64 paranoid;
    std::string_view finding;
  };
  for (const Case& each :
       {Case{std::nullopt, false, 2, "works: cpu"}, Case{0, false, 2, "works: cpu"},
        Case{EBUSY, false, 2, "denied: all in use by another user"},
        Case{ENOENT, true, 2, "absent: this virtual machine has none; cpu-clock is used instead of cycles"},
        Case{ENOENT, false, 2,
             "absent: the kernel does not support this processor's; cpu-clock is used instead of cycles"},
        Case{EACCES, false, 3, "denied: as above"}}) {
    Facts facts = open_machine();
    facts.limits.paranoid = each.paranoid;
    facts.confinement.virtual_machine = each.virtual_machine;
    Trials trials;
    trials[Trial::Cycles] = each.trial;
    EXPECT_EQ(rule_of(facts, "hardware counters", trials), each.finding);
  }
}

TEST(DiagnosisOfHardware, ReportsFeaturesThatWereTried) {
  constexpr std::string_view kPrecise = "precise samples (cycles:p)", kBranches = "branch records (-b, -j)",
                             kBreakpoints = "memory breakpoints (mem:)";
  for (const std::string_view what : {kPrecise, kBranches, kBreakpoints})
    EXPECT_EQ(rule_of(open_machine(), what), "") << "not tried: " << what;
  Trials trials;
  trials[Trial::PreciseCycles] = trials[Trial::BranchStack] = trials[Trial::Breakpoint] = 0;
  for (const std::string_view what : {kPrecise, kBranches, kBreakpoints})
    EXPECT_EQ(rule_of(open_machine(), what, trials), "works") << what;
  trials[Trial::PreciseCycles] = trials[Trial::BranchStack] = EOPNOTSUPP;
  trials[Trial::Breakpoint] = ENOSPC;
  EXPECT_EQ(rule_of(open_machine(), kPrecise, trials), "absent: the processor has no precise sampling, or hides it");
  EXPECT_EQ(rule_of(open_machine(), kBranches, trials), "absent: the processor has no branch records, or hides them");
  EXPECT_EQ(rule_of(open_machine(), kBreakpoints, trials), "absent: No space left on device");
}

TEST(DiagnosisOfSymbols, NamesTheSettingThatHidesAddresses) {
  struct Case {
    i64 kptr_restrict, paranoid;
    std::string_view reason;
  };
  for (const Case& each : {Case{0, 2, "kernel.perf_event_paranoid is 2"}, Case{1, 2, "kernel.kptr_restrict is 1"},
                           Case{2, -1, "kernel.kptr_restrict is 2"}}) {
    Facts facts = open_machine();
    facts.kernel_addresses = false;
    facts.limits.kptr_restrict = each.kptr_restrict;
    facts.limits.paranoid = each.paranoid;
    EXPECT_EQ(rule_of(facts, "kernel"), fmt::format("denied: /proc/kallsyms hides its addresses: {}", each.reason));
  }
  EXPECT_EQ(rule_of(open_machine(), "kernel"), "works: /proc/kallsyms");
}

TEST(DiagnosisOfSymbols, SaysWhatBringsTheRest) {
  Facts facts = open_machine();
  facts.host.release = "6.1.0-13-amd64";
  EXPECT_EQ(rule_of(facts, "kernel source lines"),
            "absent: no vmlinux for 6.1.0-13-amd64: install the debug kernel package");
  EXPECT_EQ(rule_of(facts, "kernel code (--kcore)"), "absent: /proc/kcore is not built into this kernel");
  EXPECT_EQ(rule_of(facts, "stripped programs"),
            "absent: no /usr/lib/debug/.build-id: install -dbgsym or -dbg packages");
  facts.has_kcore = true;
  EXPECT_EQ(rule_of(facts, "kernel code (--kcore)"), "denied: only root can read /proc/kcore");
  facts.kcore = true;
  EXPECT_EQ(rule_of(facts, "kernel code (--kcore)"), "works: /proc/kcore");
}

TEST(DiagnosisOfThisProcess, ListsTheCapabilitiesThatMatter) {
  Facts facts = open_machine();
  EXPECT_EQ(rule_of(facts, "capabilities"), "fact: none relevant here");
  facts.capabilities.permitted = bit_of(Capability::Perfmon) | bit_of(Capability::Syslog);
  EXPECT_EQ(rule_of(facts, "capabilities"), "fact: none relevant here; permitted but not in effect: PERFMON, SYSLOG");
  facts.capabilities.effective = bit_of(Capability::Syslog) | bit_of(Capability::NetAdmin);
  EXPECT_EQ(rule_of(facts, "capabilities"), "fact: SYSLOG; permitted but not in effect: PERFMON");
}

TEST(DiagnosisOfThisProcess, NamesItsUser) {
  Facts facts = open_machine();
  EXPECT_EQ(rule_of(facts, "user"), "fact: 1000");
  facts.confinement.euid = 0;
  EXPECT_EQ(rule_of(facts, "user"), "fact: root");
  facts.confinement.user_namespace = true;
  EXPECT_EQ(rule_of(facts, "user"), "fact: root in a user namespace, an ordinary user outside");
}

TEST(DiagnosisOfThisProcess, SaysHowFarOpenFilesGo) {
  Facts facts = open_machine();
  facts.open_files = ResourceLimit{.soft = 1024, .hard = 4096};
  facts.host.online_cpus = 8;
  EXPECT_EQ(rule_of(facts, "open files"), "fact: 4096: 512 threads with one event each on 8 CPUs");
  facts.host.online_cpus = 0;  // unknown
  EXPECT_EQ(rule_of(facts, "open files"), "fact: 4096: 4096 threads with one event each on 1 CPU");
}

// A file with capabilities that are permitted but not effective: the program could raise them, so the level is only
// half the reason.
TEST(DiagnosisOfLevels, MentionsACapabilityThatIsNotInEffect) {
  Facts facts = open_machine();
  facts.capabilities.permitted = bit_of(Capability::Perfmon);
  EXPECT_EQ(rule_of(facts, "own programs, with the kernel"),
            "denied: kernel.perf_event_paranoid is 2, and CAP_PERFMON is not in effect");
}

TEST(DiagnosisOfLevels, AssumesTheKernelsDefaultWithoutTheSetting) {
  Facts facts = open_machine();
  facts.limits.paranoid.reset();
  EXPECT_EQ(rule_of(facts, "own programs, user space"), "works");
  EXPECT_EQ(rule_of(facts, "own programs, with the kernel"), "denied: kernel.perf_event_paranoid is 2");
}

TEST(DiagnosisRemedies, AreEmptyWhereEverythingWorks) {
  Facts facts = open_machine();
  facts.limits.paranoid = -1;
  EXPECT_TRUE(remedy_commands(facts).empty());
}

constexpr std::string_view kSetCapabilities =
    "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,cap_ipc_lock=ep \"$(readlink -f \"$(command -v "
    "perf)\")\"";

TEST(DiagnosisRemedies, NameAProgramOutsideOfThePath) {
  const std::string setcap = "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,cap_ipc_lock=ep ";
  Facts facts = open_machine();
  facts.limits.paranoid = 2;
  EXPECT_EQ(diagnose(facts, {}, "/opt/p-1.2/bin/peregrine").remedies.front().command,
            setcap + "/opt/p-1.2/bin/peregrine");
  EXPECT_EQ(diagnose(facts, {}, "/my tools/it's").remedies.front().command, setcap + "'/my tools/it'\\''s'");
}

TEST(DiagnosisRemedies, AskForTheHighestLevelThatAllowsAll) {
  for (const auto& [paranoid, tracepoints, level] : {std::tuple(2, true, -1), std::tuple(0, true, -1)}) {
    Facts facts = open_machine();
    facts.limits.paranoid = paranoid;
    facts.tracefs = tracepoints ? "/sys/kernel/tracing" : "";
    EXPECT_EQ(remedy_commands(facts),
              (std::vector<std::string>{std::string(kSetCapabilities),
                                        fmt::format("sudo sysctl kernel.perf_event_paranoid={}", level)}));
  }
  // Tracepoints work, contrary to the rule: level 0 suffices for the rest.
  Trials trials;
  trials[Trial::Tracepoint] = 0;
  EXPECT_EQ(remedy_commands(open_machine(), trials).back(), "sudo sysctl kernel.perf_event_paranoid=0");
}

TEST(DiagnosisRemedies, ShowTheKernelsNamesAgain) {
  Facts facts = open_machine();
  facts.limits.paranoid = -1;
  facts.limits.kptr_restrict = 1;
  facts.kernel_addresses = false;
  EXPECT_EQ(remedy_commands(facts),
            (std::vector<std::string>{std::string(kSetCapabilities), "sudo sysctl kernel.kptr_restrict=0"}));
}

TEST(DiagnosisRemedies, MountTracefsOrOpenItToAGroup) {
  Facts facts = open_machine();
  facts.limits.paranoid = -1;
  facts.tracefs.clear();
  EXPECT_EQ(remedy_commands(facts),
            (std::vector<std::string>{"sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing"}));
  facts.tracefs_mounted = false;
  EXPECT_EQ(remedy_commands(facts), (std::vector<std::string>{"sudo mount -t tracefs nodev /sys/kernel/tracing"}));
}

// Inside a container, settings belong to the host, and capabilities are granted when it starts.
TEST(DiagnosisRemedies, OfAContainerStartItDifferently) {
  struct Case {
    const char *container, *command;
  };
  for (const Case& each : {Case{"podman", "podman run --cap-add=PERFMON,SYS_ADMIN,SYS_PTRACE …"},
                           Case{"docker", "docker run --cap-add=PERFMON --cap-add=SYS_PTRACE …"},
                           Case{"kubepods", "securityContext: {capabilities: {add: [PERFMON, SYS_PTRACE]}}"},
                           Case{"lxc", "sudo sysctl kernel.perf_event_paranoid=-1"}}) {
    Facts facts = open_machine();
    facts.confinement.container = each.container;
    EXPECT_EQ(remedy_commands(facts),
              (std::vector<std::string>{each.command, "sudo sysctl kernel.perf_event_paranoid=-1"}));
    // Denied by something other than the level, which a different level would not change.
    facts.limits.paranoid = -1;
    Trials trials;
    trials[Trial::OwnUser] = EPERM;
    EXPECT_EQ(remedy_commands(facts, trials), std::vector<std::string>{each.command});
    facts.confinement.user_namespace = true;  // capabilities inside it do not count, so no command helps
    EXPECT_TRUE(remedy_commands(facts, trials).empty());
  }
}

}  // namespace
}  // namespace peregrine
