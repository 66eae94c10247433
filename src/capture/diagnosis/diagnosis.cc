#include "capture/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "sys/process/confinement.h"
#include "sys/process/limit.h"
#include "sys/sandbox/sandbox.h"

namespace peregrine {

namespace {

// The highest perf_event_paranoid at which an unprivileged process may do this. Debian's and Ubuntu's kernels also have
// 3 and 4.
constexpr int kLevelForTracepoints = -1, kLevelForMachine = 0, kLevelForKernel = 1, kLevelForAnything = 2;
constexpr i64 kDefaultParanoid = 2;

class Doctor {
 public:
  Doctor(const Facts& facts, const Trials& trials, std::string_view program)
      : facts_(facts), trials_(trials), program_(program) {}

  Diagnosis run() {
    recording();
    names();
    tracing();
    limits();
    surroundings();
    remedies();
    next_commands();
    return std::move(result_);
  }

 private:
  bool in_container() const { return !facts_.confinement.container.empty(); }
  bool filtered() const { return facts_.confinement.seccomp == Confinement::Seccomp::Filter; }
  // perf_event_open(2) ignores capabilities that are held only in a user namespace.
  bool has(Capability capability) const {
    return facts_.capabilities.has(capability) && !facts_.confinement.user_namespace;
  }
  bool privileged() const { return has(Capability::Perfmon) || has(Capability::SysAdmin); }
  bool idle() const {
    return !facts_.capabilities.may_trace() &&
           (facts_.capabilities.may_have(Capability::Perfmon) || facts_.capabilities.may_have(Capability::SysAdmin));
  }
  i64 paranoid() const { return facts_.limits.paranoid.value_or(kDefaultParanoid); }

  void group(std::string_view title) { result_.groups.push_back({std::string(title), {}}); }
  bool add(std::string_view what, Verdict verdict, std::string why = {}) {
    result_.groups.back().findings.push_back({std::string(what), verdict, std::move(why)});
    return verdict == Verdict::Works;
  }

  // The probable reason for a refusal that perf_event_paranoid does not explain.
  std::string unexpected(int error) const {
    const std::string said = std::strerror(error);
    if (filtered() && (error == EPERM || error == ENOSYS || error == EACCES))
      return fmt::format("a seccomp filter{} blocks perf_event_open: {}",
                         in_container() ? " of the " + facts_.confinement.container + " container" : "", said);
    if (error == ENOSYS) return "perf events are not built into this kernel";
    if (error == EPERM || error == EACCES) return fmt::format("a security module denies it: {}", said);
    return fmt::format("the kernel rejects it: {}", said);
  }

  std::string paranoid_reason() const {
    return fmt::format("kernel.perf_event_paranoid is {}{}", paranoid(),
                       idle() ? ", and CAP_PERFMON is not in effect" : "");
  }

  // Adds an ability that perf_event_paranoid governs. The outcome of a trial overrides the rule.
  bool by_level(std::string_view what, int level, Trial trial) {
    const bool allowed = privileged() || paranoid() <= level;
    const auto error = trials_[trial];
    if (error ? *error == 0 : allowed) return add(what, Verdict::Works);
    if (!allowed) {
      wanted_level_ = std::min(wanted_level_.value_or(level), level);
      return add(what, Verdict::Denied, paranoid_reason());
    }
    refused_otherwise_ = true;
    return add(what, Verdict::Denied, unexpected(*error));
  }

  void recording() {
    group("Recording and counting");
    result_.can_record = by_level("own programs, user space", kLevelForAnything, Trial::OwnUser);
    by_level("own programs, with the kernel", kLevelForKernel, Trial::OwnKernel);
    machine_works_ = by_level("the whole machine (-a, -C)", kLevelForMachine, Trial::WholeMachine);
    others();
    tracepoints();
    hardware();
    if (const auto error = trials_[Trial::Breakpoint]; error && result_.can_record)
      add("memory breakpoints (mem:)", *error == 0 ? Verdict::Works : Verdict::Absent,
          *error == 0 ? "" : std::strerror(*error));
  }

  void others() {
    const bool may = privileged() || has(Capability::SysPtrace);
    if (may && result_.can_record)
      add("processes of other users (-p)", Verdict::Works);
    else
      add("processes of other users (-p)", Verdict::Denied, "needs CAP_PERFMON or root");
  }

  void tracepoints() {
    constexpr std::string_view kWhat = "tracepoints (sched:*, syscalls:*)";
    if (!facts_.tracefs.empty()) {
      tracepoints_work_ = by_level(kWhat, kLevelForTracepoints, Trial::Tracepoint);
    } else {
      add(kWhat, Verdict::Denied, facts_.tracefs_mounted ? "tracefs cannot be read" : "tracefs is not mounted");
      if (!privileged() && paranoid() > kLevelForTracepoints) wanted_level_ = kLevelForTracepoints;
    }
  }

  void hardware() {
    const auto cycles = trials_[Trial::Cycles];
    const bool there = cycles ? *cycles == 0 : !facts_.core_pmu.empty() && result_.can_record;
    if (there) {
      const bool watched = facts_.nmi_watchdog.value_or(0) > 0;
      add("hardware counters", Verdict::Works, watched ? "the NMI watchdog uses one of them" : facts_.core_pmu);
      feature("precise samples (cycles:p)", Trial::PreciseCycles, "the processor has no precise sampling, or hides it");
      feature("branch records (-b, -j)", Trial::BranchStack, "the processor has no branch records, or hides them");
    } else if (!result_.can_record) {
      add("hardware counters", Verdict::Denied, "as above");
    } else if (cycles == EBUSY) {
      add("hardware counters", Verdict::Denied, "all in use by another user");
    } else {
      add("hardware counters", Verdict::Absent,
          facts_.confinement.virtual_machine
              ? "this virtual machine has none; cpu-clock is used instead of cycles"
              : "the kernel does not support this processor's; cpu-clock is used instead of cycles");
    }
  }

  void feature(std::string_view what, Trial trial, std::string_view absent) {
    const auto error = trials_[trial];
    if (error) add(what, *error == 0 ? Verdict::Works : Verdict::Absent, *error == 0 ? "" : std::string(absent));
  }

  // kallsyms shows addresses with CAP_SYSLOG, or to everybody if both sysctls are low enough.
  std::string hidden_by() {
    const i64 restrict = facts_.limits.kptr_restrict.value_or(0);
    if (restrict > 0) return fmt::format("kernel.kptr_restrict is {}", restrict);
    if (paranoid() > kLevelForKernel)
      wanted_level_ = std::min(wanted_level_.value_or(kLevelForKernel), kLevelForKernel);
    return paranoid_reason();
  }

  void names() {
    group("Function names");
    if (facts_.kernel_addresses)
      add("kernel", Verdict::Works, "/proc/kallsyms");
    else
      add("kernel", Verdict::Denied, fmt::format("/proc/kallsyms hides its addresses: {}", hidden_by()));
    if (!facts_.kernel_image.empty())
      add("kernel source lines", Verdict::Works, facts_.kernel_image);
    else
      add("kernel source lines", Verdict::Absent,
          fmt::format("no vmlinux for {}: install the debug kernel package", facts_.host.release));
    if (!facts_.has_kcore)
      add("kernel code (--kcore)", Verdict::Absent, "/proc/kcore is not built into this kernel");
    else
      add("kernel code (--kcore)", facts_.kcore ? Verdict::Works : Verdict::Denied,
          facts_.kcore ? "/proc/kcore" : "only root can read /proc/kcore");
    add("stripped programs", facts_.debug_files ? Verdict::Works : Verdict::Absent,
        facts_.debug_files ? "/usr/lib/debug/.build-id"
                           : "no /usr/lib/debug/.build-id: install -dbgsym or -dbg packages");
  }

  void tracing() {
    group("Tracing");
    if (!facts_.tracefs.empty())
      add("tracefs", Verdict::Works, facts_.tracefs);
    else
      add("tracefs", Verdict::Denied, facts_.tracefs_mounted ? "only root can read it" : "not mounted");
    if (!facts_.tracefs.empty()) {
      probe("kprobes", facts_.kprobes, facts_.confinement.lockdown == "confidentiality");
      probe("uprobes", facts_.uprobes, false);
    }
    bpf();
    add("BTF", facts_.btf ? Verdict::Works : Verdict::Absent,
        facts_.btf ? "/sys/kernel/btf/vmlinux" : "not built into this kernel");
  }

  void probe(std::string_view what, bool there, bool shut) {
    if (!there)
      add(what, Verdict::Absent, "not built into this kernel");
    else if (shut)
      add(what, Verdict::Denied, "blocked by kernel lockdown (confidentiality)");
    else if (privileged() && (facts_.confinement.euid == 0 || has(Capability::DacOverride)))
      add(what, Verdict::Works);
    else  // only root may write tracefs, whatever its group may read
      add(what, Verdict::Denied, "creating one needs root");
  }

  void bpf() {
    const auto error = trials_[Trial::Bpf];
    const bool may = has(Capability::SysAdmin) || (has(Capability::Bpf) && has(Capability::Perfmon));
    if (error ? *error == 0 : may)
      add("BPF programs", Verdict::Works);
    else if (error == ENOSYS && !filtered())
      add("BPF programs", Verdict::Absent, "not built into this kernel");
    else
      add("BPF programs", Verdict::Denied,
          may ? unexpected(error.value_or(EPERM)) : "needs CAP_BPF and CAP_PERFMON, or root");
  }

  void limits() {
    group("Limits");
    if (const auto rate = facts_.limits.max_sample_rate)
      add("samples per second", Verdict::Fact, fmt::format("at most {} (kernel.perf_event_max_sample_rate)", *rate));
    if (const auto frames = facts_.limits.max_stack)
      add("call chain frames", Verdict::Fact, fmt::format("at most {} (kernel.perf_event_max_stack)", *frames));
    if (const auto kb = facts_.limits.mlock_kb) {
      const bool free = has(Capability::IpcLock) || paranoid() < 0;
      add("ring buffer memory", Verdict::Fact,
          free ? "unlimited" : fmt::format("{} kB per CPU (kernel.perf_event_mlock_kb)", *kb));
    }
    if (const auto files = facts_.open_files) {
      const u64 cpus = std::max<u64>(facts_.host.online_cpus, 1);
      add("open files", Verdict::Fact,
          fmt::format("{}: {} with one event each on {}", files->hard, counted(files->hard / cpus, "thread"),
                      counted(cpus, "CPU")));
    }
  }

  void sandbox(const SandboxWalls& walls, bool root) {
    std::vector<std::string> parts;
    if (walls.landlock > 0) parts.push_back(fmt::format("Landlock {}", walls.landlock));
    if (walls.seccomp) parts.emplace_back("a seccomp filter");
    if (walls.broker) parts.emplace_back("a broker for output files");
    if (parts.empty())
      add("sandbox of report, script, …", Verdict::Absent, "the kernel supports neither Landlock nor seccomp filters");
    else
      add("sandbox of report, script, …", Verdict::Works,
          fmt::format("{}; {}", fmt::join(parts, ", "), root ? "off with --no-sandbox" : "on with --sandbox"));
  }

  void surroundings() {
    group("This process");
    const Confinement& around = facts_.confinement;
    add("user", Verdict::Fact,
        around.euid == 0 ? around.user_namespace ? "root in a user namespace, an ordinary user outside" : "root"
                         : fmt::format("{}", around.euid));
    add("capabilities", Verdict::Fact, capability_words());
    add("kernel.perf_event_paranoid", Verdict::Fact, facts_.limits.paranoid ? fmt::format("{}", paranoid()) : "absent");
    if (in_container()) add("container", Verdict::Fact, around.container);
    if (filtered()) add("seccomp", Verdict::Fact, "a filter restricts system calls");
    if (facts_.sandbox) sandbox(*facts_.sandbox, around.euid == 0);
    if (!around.lockdown.empty()) add("kernel lockdown", Verdict::Fact, around.lockdown);
    if (around.virtual_machine) add("machine", Verdict::Fact, "virtual");
  }

  // The relevant capabilities: those in effect, and those permitted but not in effect.
  std::string capability_words() {
    constexpr std::pair<Capability, std::string_view> kNames[] = {
        {Capability::Perfmon, "PERFMON"},      {Capability::SysAdmin, "SYS_ADMIN"}, {Capability::Bpf, "BPF"},
        {Capability::SysPtrace, "SYS_PTRACE"}, {Capability::Syslog, "SYSLOG"},      {Capability::IpcLock, "IPC_LOCK"}};
    std::string have, idle;
    for (const auto& [capability, name] : kNames) {
      std::string* list = facts_.capabilities.has(capability)        ? &have
                          : facts_.capabilities.may_have(capability) ? &idle
                                                                     : nullptr;
      if (list != nullptr) *list += fmt::format("{}{}", list->empty() ? "" : ", ", name);
    }
    if (have.empty()) have = "none relevant here";
    return idle.empty() ? have : fmt::format("{}; permitted but not in effect: {}", have, idle);
  }

  void remedy(std::string command, std::string gives) {
    result_.remedies.push_back({std::move(command), std::move(gives)});
  }

  // The program's file, for a shell.
  std::string program_file() const {
    if (!program_.contains('/')) return fmt::format("\"$(readlink -f \"$(command -v {})\")\"", program_);
    constexpr std::string_view kPlain = "/.-+";
    if (std::ranges::all_of(program_, [&](char c) { return is_word_character(c) || kPlain.contains(c); }))
      return std::string(program_);
    std::string quoted = "'";
    for (const char c : program_) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
  }

  void remedies() {
    const Confinement& around = facts_.confinement;
    if (refused_otherwise_ && in_container()) return container_remedy();
    if (wanted_level_ && in_container()) {
      container_remedy();
      return remedy(fmt::format("sudo sysctl kernel.perf_event_paranoid={}", *wanted_level_),
                    "on the host, for every program, until reboot");
    }
    const bool hidden = !facts_.kernel_addresses;
    if (wanted_level_ || hidden)
      remedy(
          fmt::format("sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,cap_ipc_lock=ep {}", program_file()),
          idle() ? "puts the file's capabilities into effect: everything above except tracepoints, for all users of "
                   "this program"
                 : "everything above except tracepoints, for all users of this program");
    if (wanted_level_)
      remedy(fmt::format("sudo sysctl kernel.perf_event_paranoid={}", *wanted_level_),
             "for every program, until reboot");
    if (hidden && facts_.limits.kptr_restrict.value_or(0) > 0 && !around.user_namespace)
      remedy("sudo sysctl kernel.kptr_restrict=0", "kernel function names, for every program, until reboot");
    if (facts_.tracefs.empty())
      remedy(facts_.tracefs_mounted ? "sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing"
                                    : "sudo mount -t tracefs nodev /sys/kernel/tracing",
             facts_.tracefs_mounted ? "tracepoints too, for your group, until reboot" : "tracepoints and probes");
  }

  void next_commands() {
    if (!result_.can_record) return;
    const auto add_command = [&](std::string_view arguments, std::string gives) {
      result_.next.push_back({fmt::format("{} {}", program_, arguments), std::move(gives)});
    };
    add_command("record -g ./program", fmt::format("profile a program; then type: {} report", program_));
    if (machine_works_) add_command("top", "the hottest functions of the whole machine, live");
    if (tracepoints_work_)
      add_command("trace -s ./program", "the time spent in each system call");
    else
      add_command("stat ./program", "is it computing or waiting?");
  }

  void container_remedy() {
    const std::string& kind = facts_.confinement.container;
    if (facts_.confinement.user_namespace) return;  // capabilities granted inside a user namespace do not count
    if (kind == "podman")
      remedy("podman run --cap-add=PERFMON,SYS_ADMIN,SYS_PTRACE …",
             "start the container with these: its filter requires both");
    else if (kind == "docker")
      remedy("docker run --cap-add=PERFMON --cap-add=SYS_PTRACE …",
             "start the container with these; Docker before 23 also needs --security-opt seccomp=unconfined");
    else if (kind == "kubepods")
      remedy("securityContext: {capabilities: {add: [PERFMON, SYS_PTRACE]}}", "in the pod spec");
    else
      remedy("sudo sysctl kernel.perf_event_paranoid=-1", "on the host");
  }

  const Facts& facts_;
  const Trials& trials_;
  std::string_view program_;
  Diagnosis result_;
  std::optional<int> wanted_level_;  // the highest level at which nothing above is denied
  bool machine_works_ = false, tracepoints_work_ = false;
  bool refused_otherwise_ = false;  // by anything but perf_event_paranoid
};

}  // namespace

Diagnosis diagnose(const Facts& facts, const Trials& trials, std::string_view program) {
  return Doctor(facts, trials, program).run();
}

}  // namespace peregrine
