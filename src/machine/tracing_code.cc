#include "machine/tracing_code.h"

#include <algorithm>

namespace peregrine {

namespace {

// Functions that macros generate for each event, and their callees.
constexpr std::string_view kPrefixes[] = {
    "perf_trace_",   "__traceiter_",       "trace_event_raw_event_", "trace_event_buffer_", "perf_tp_event",
    "perf_syscall_", "perf_ftrace_",       "bpf_trace_run",          "__bpf_trace_",        "do_perf_trace_",
    "__do_trace_",   "__perf_event_trace", "ftrace_syscall_",        "trace_call_bpf",
};
// System call entry and exit on x86 and arm64.
constexpr std::string_view kSyscallCode[] = {
    "syscall_trace_enter",
    "syscall_trace_exit",
    "syscall_exit_work",
    "syscall_exit_to_user_mode",
    "syscall_enter_from_user_mode",
    "do_syscall_64",
    "do_syscall_x64",
    "do_int80_syscall_32",
    "do_int80_emulation",
    "do_fast_syscall_32",
    "__do_fast_syscall_32",
    "x64_sys_call",
    "ia32_sys_call",
    "entry_SYSCALL_64",
    "entry_INT80_compat",
    "entry_SYSENTER_compat",
    "asm_int80_emulation",
    "el0_svc",
    "do_el0_svc",
    "invoke_syscall",
    "el0t_64_sync",
    "syscall_exit_to_user_mode_work",
    "trace_sys_enter",
    "trace_sys_exit",
};

}  // namespace

bool is_tracing_code(std::string_view name) {
  name = name.substr(0, name.find('.'));
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(kPrefixes, starts)) return true;
  // "entry_SYSCALL_64_after_hwframe", "el0t_64_sync_handler", "syscall_exit_to_user_mode_prepare"
  return std::ranges::any_of(kSyscallCode, [&](std::string_view code) {
    return name == code || (name.starts_with(code) && name[code.size()] == '_');
  });
}

}  // namespace peregrine
