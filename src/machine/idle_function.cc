#include "machine/idle_function.h"

#include <algorithm>

namespace peregrine {

namespace {

// Sorted. Samples hit the instruction after `hlt`, `mwait` or `wfi`, so the innermost functions matter most. Their
// names vary between kernels. Callers are listed too, because the compiler may inline the callees.
constexpr std::string_view kNames[] = {
    "acpi_idle_do_entry",
    "acpi_idle_enter",
    "acpi_idle_enter_bm",
    "acpi_idle_enter_s2idle",
    "acpi_processor_ffh_cstate_enter",
    "acpi_safe_halt",
    "arch_cpu_idle",
    "arch_cpu_idle_enter",
    "arch_cpu_idle_exit",
    "call_cpuidle",
    "cpu_do_idle",
    "cpu_idle",
    "cpu_idle_loop",
    "cpu_idle_poll",
    "cpu_startup_entry",
    "cpuidle_enter",
    "cpuidle_enter_s2idle",
    "cpuidle_enter_state",
    "dedicated_cede_loop",
    "default_enter_idle",
    "default_idle",
    "default_idle_call",
    "do_idle",
    "enabled_wait",
    "intel_idle",
    "intel_idle_hlt",
    "intel_idle_hlt_irq_on",
    "intel_idle_ibrs",
    "intel_idle_irq",
    "intel_idle_s2idle",
    "intel_idle_xstate",
    "mwait_idle",
    "mwait_idle_with_hints",
    "native_safe_halt",
    "poll_idle",
    "power9_idle_stop",
    "psci_cpu_suspend_enter",
    "psci_enter_idle_state",
    "pseries_dedicated_idle_sleep",
    "pseries_shared_idle_sleep",
    "psw_idle",
    "psw_idle_exit",
    "pv_native_safe_halt",
    "shared_cede_loop",
    "snooze_loop",
    "stop_loop",
    "tdx_safe_halt",
    "xen_safe_halt",
};
static_assert(std::ranges::is_sorted(kNames));

}  // namespace

bool is_idle_function(std::string_view name) {
  return std::ranges::binary_search(kNames, name.substr(0, name.find('.')));
}

}  // namespace peregrine
