#include "event/config/fallback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "event/kind/name.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;

bool is_cycles(const EventSpec& spec) {
  return spec.attr.type == static_cast<u32>(abi::EventType::Hardware) &&
         spec.attr.config == static_cast<u64>(abi::HardwareEvent::Cycles);
}

bool lower_precision(EventSpec& spec) {
  if (!spec.precise_max) return false;
  if (spec.attr.precise_ip() == 0) {
    restore_precision(spec);
    return false;
  }
  if (spec.precise_wanted == 0) spec.precise_wanted = spec.attr.precise_ip();
  spec.attr.set_precise_ip(spec.attr.precise_ip() - 1);
  return true;
}

// "cpu-clock:u", where linux-perf prints "cpu-clock:uhppp": the user requested neither precision nor the hypervisor.
std::string clock_name(const EventSpec& spec) {
  if (!spec.precise_max) return event_name(spec.attr);
  const bool user = spec.attr.has(flag::ExcludeKernel), kernel = spec.attr.has(flag::ExcludeUser);
  return fmt::format("cpu-clock{}", user ? ":u" : kernel ? ":k" : "");
}

// The kernel fires these tracepoints with its own registers, which exclude_kernel always rejects: the event would open
// and never have a sample. (syscalls:* and uprobes have the registers of user space.)
bool never_in_user_space(const EventSpec& spec) { return spec.system == "raw_syscalls"; }

// "cycles:u", "cycles:Hu", "cpu/cycles/u", "sched:sched_switch:u".
std::string user_space_name(const EventSpec& spec) {
  const std::string_view modifiers =
      std::string_view(spec.name).substr(spec.is_tracepoint() ? std::min(spec.system.size() + 1, spec.name.size()) : 0);
  const bool has_separator = modifiers.find_first_of("/:") != std::string_view::npos;
  return spec.name + (has_separator ? "u" : ":u");
}

std::string what_to_do(const EventSpec& spec, int error_number, int paranoid) {
  switch (error_number) {
    case EPERM:
    case EACCES:
      if (paranoid < 0) return "run as root; 'perf check' shows which permissions are missing";
      if (spec.is_tracepoint())
        return "tracepoints need CAP_PERFMON, which root has except in most containers, or `sysctl "
               "kernel.perf_event_paranoid=-1`; 'perf check' shows which permissions are missing";
      return fmt::format(
          "kernel.perf_event_paranoid={} forbids this: run as root, or lower it with `sysctl "
          "kernel.perf_event_paranoid=N` (2: user space of own programs, 1: also the kernel, 0: also all CPUs, -a and "
          "-C)",
          paranoid);
    case ENOSYS:
      return "perf_event_open is blocked by a container's seccomp filter, or not built into this kernel; 'perf check' "
             "shows which";
    case ENOENT:
      return "not supported by this kernel or machine; virtual machines often have no hardware counters";
    case EMFILE:
      return "too many open events: raise the limit with 'ulimit -n'";
    case EBUSY:
      return "counters are in use by another user or the NMI watchdog: stop the watchdog with `sysctl "
             "kernel.nmi_watchdog=0`";
    case EOVERFLOW:
      return "the requested call chains exceed kernel.perf_event_max_stack: raise it with sysctl";
    case EOPNOTSUPP:
      if (spec.attr.samples(abi::sample_bit::BranchStack))
        return "branch stacks require a hardware event and hardware support (LBR, BRBE, BHRB), which virtual machines "
               "rarely have";
      if (spec.attr.has(flag::AuxOutput)) return "the event's PMU cannot write into an AUX area";
      return spec.attr.precise_ip() != 0 ? "the event does not support precise sampling: drop 'p' from its modifiers"
                                         : "the event's counter cannot sample: count it with 'stat'";
    case EINVAL:
      return "the kernel rejected this combination of attributes; 'record -vv' shows them";
    default:
      return {};
  }
}

}  // namespace

void restore_precision(EventSpec& spec) {
  if (spec.precise_max && spec.precise_wanted != 0) spec.attr.set_precise_ip(spec.precise_wanted);
}

std::optional<Fallback> fall_back(EventSpec& spec, int error_number, int paranoid) {
  if (error_number == EINVAL && (spec.attr.has(flag::DeferCallchain) || spec.attr.has(flag::DeferOutput))) {
    const bool chains = spec.attr.has(flag::DeferCallchain);
    spec.attr.set(flag::DeferCallchain, false);
    spec.attr.set(flag::DeferOutput, false);
    return Fallback{chains ? "Deferred user call chains require Linux 6.19: recording them immediately" : ""};
  }
  if (lower_precision(spec)) return Fallback{};
  const bool absent = error_number == ENOENT || error_number == ENXIO || error_number == ENODEV;
  if (absent && is_cycles(spec)) {
    spec.attr.type = static_cast<u32>(abi::EventType::Software);
    spec.attr.config = static_cast<u64>(abi::SoftwareEvent::CpuClock);
    spec.name = clock_name(spec);
    return Fallback{"No hardware counters here: sampling CPU time (cpu-clock)"};
  }
  const bool denied = error_number == EACCES || error_number == EPERM;
  if (denied && paranoid > 1 && !spec.attr.has(flag::ExcludeKernel) && !spec.attr.has(flag::ExcludeUser)) {
    const bool samples = spec.attr.sample_period != 0;  // or a frequency
    if (samples && never_in_user_space(spec)) return std::nullopt;
    spec.name = user_space_name(spec);
    spec.attr.set(flag::ExcludeKernel);
    spec.attr.set(flag::ExcludeHv);
    return Fallback{
        fmt::format("kernel.perf_event_paranoid={}: {} user space only", paranoid, samples ? "sampling" : "counting")};
  }
  return std::nullopt;
}

Error explain_open_failure(const EventSpec& spec, int error_number, int paranoid) {
  auto error = fail_errno(fmt::format("event {}", spec.name), error_number).error();
  if (error.kind == ErrorKind::Unsupported) error.kind = ErrorKind::System;  // valid, but not on this machine
  error.hint = what_to_do(spec, error_number, paranoid);
  return error;
}

Error explain_refused_thread(const EventSpec& spec, int error_number, i32 thread) {
  auto error = fail_errno(fmt::format("event {} on thread {}", spec.name, thread), error_number).error();
  error.hint =
      "the thread belongs to another user, or its process is protected: run as root, or give this program CAP_PERFMON; "
      "'perf check' shows how";
  return error;
}

}  // namespace peregrine
