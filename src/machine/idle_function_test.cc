#include "machine/idle_function.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(IdleFunction, KnowsTheOnesOfTodaysKernels) {
  for (const std::string_view name :
       {"pv_native_safe_halt", "default_idle", "acpi_idle_do_entry", "intel_idle", "intel_idle_ibrs", "mwait_idle",
        "cpuidle_enter_state", "poll_idle", "arch_cpu_idle", "cpu_do_idle", "psw_idle"})
    EXPECT_TRUE(is_idle_function(name)) << name;
}

TEST(IdleFunction, IgnoresSuffixesOfTheCompiler) {
  EXPECT_TRUE(is_idle_function("mwait_idle_with_hints.constprop.0"));
  EXPECT_TRUE(is_idle_function("poll_idle.isra.0"));
}

TEST(IdleFunction, LeavesOthersAlone) {
  for (const std::string_view name : {"", "handle_softirqs", "idle_cull_fn", "default_idle_x", "schedule_idle"})
    EXPECT_FALSE(is_idle_function(name)) << name;
}

}  // namespace
}  // namespace peregrine
