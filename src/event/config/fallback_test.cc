#include "event/config/fallback.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "event/config/default_event.h"
#include "event/config/off_cpu_event.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

EventSpec cycles_spec(std::string name = "cycles") {
  EventSpec spec;
  spec.name = std::move(name);
  return spec;
}

// The names and warnings of all steps until there is nothing left to try.
std::string steps_of(EventSpec spec, int error_number, int paranoid) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const auto step = fall_back(spec, error_number, paranoid);
    if (!step) return text;
    text += fmt::format("{}/{}: {}\n", spec.name, spec.attr.precise_ip(), step->warning);
  }
  return text + "endless";
}

TEST(FallbackSteps, EndForEveryError) {
  for (const int error : {EPERM, EACCES, ENOENT, ENXIO, ENODEV, EINVAL, EBUSY, EMFILE, ENOSYS, EOPNOTSUPP, EOVERFLOW})
    for (const int paranoid : {-1, 0, 1, 2, 3})
      for (const bool may_see_kernel : {false, true}) {
        EventSpec spec = default_record_event(may_see_kernel, false);
        spec.attr.set_precise_ip(3);
        EXPECT_FALSE(steps_of(spec, error, paranoid).ends_with("endless")) << error << ' ' << paranoid;
      }
}

TEST(FallbackSteps, AbsentCyclesBecomeTheClock) {
  constexpr std::string_view kClock = "No hardware counters here: sampling CPU time (cpu-clock)";
  for (const int error : {ENOENT, ENXIO, ENODEV})
    EXPECT_EQ(steps_of(cycles_spec(), error, 2), fmt::format("cpu-clock:HG/0: {}\n", kClock)) << error;
  // Other events are not replaced.
  EventSpec instructions = cycles_spec("instructions");
  instructions.attr.config = 1;
  EXPECT_EQ(steps_of(instructions, ENOENT, 2), "");
}

TEST(FallbackSteps, LessPrecisionIsTriedSilently) {
  EventSpec spec = cycles_spec("cycles:P");
  spec.precise_max = true;
  spec.attr.set_precise_ip(2);
  EXPECT_EQ(steps_of(spec, EOPNOTSUPP, 2), "cycles:P/1: \ncycles:P/0: \n");
  // A precision specified by the user is kept.
  spec.precise_max = false;
  EXPECT_EQ(steps_of(spec, EOPNOTSUPP, 2), "");
}

TEST(FallbackSteps, PrecisionIsRestoredForAnotherTry) {
  EventSpec spec = cycles_spec();
  spec.precise_max = true;
  spec.attr.set_precise_ip(3);
  while (fall_back(spec, EINVAL, 2)) continue;
  EXPECT_EQ(spec.attr.precise_ip(), 3u);
  EventSpec plain = cycles_spec();
  plain.attr.set_precise_ip(1);
  restore_precision(plain);
  EXPECT_EQ(plain.attr.precise_ip(), 1u);
}

TEST(FallbackSteps, ADeniedKernelIsLeftOut) {
  EventSpec sampled = cycles_spec();
  sampled.attr.sample_period = 4000;
  for (const int error : {EACCES, EPERM}) {
    EXPECT_EQ(steps_of(cycles_spec(), error, 2),
              "cycles:u/0: kernel.perf_event_paranoid=2: counting user space only\n");
    EXPECT_EQ(steps_of(sampled, error, 3), "cycles:u/0: kernel.perf_event_paranoid=3: sampling user space only\n");
  }
  EXPECT_EQ(steps_of(cycles_spec("cpu/cycles/"), EACCES, 2).substr(0, 13), "cpu/cycles/u/");
  EXPECT_EQ(steps_of(cycles_spec("cycles:H"), EACCES, 2).substr(0, 9), "cycles:Hu");
  // The setting is not the cause.
  EXPECT_EQ(steps_of(cycles_spec(), EACCES, 1), "");
  // The user explicitly requested the kernel.
  EventSpec kernel = cycles_spec("cycles:k");
  kernel.attr.set(flag::ExcludeUser);
  EXPECT_EQ(steps_of(kernel, EACCES, 2), "");
}

EventSpec tracepoint_spec(std::string system, std::string_view tracepoint) {
  EventSpec spec = cycles_spec(fmt::format("{}:{}", system, tracepoint));
  spec.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  spec.attr.sample_period = 1;
  spec.system = std::move(system);
  spec.tracepoint = tracepoint;
  return spec;
}

TEST(FallbackSteps, TracepointsKeepReadableNames) {
  EventSpec spec = tracepoint_spec("syscalls", "sys_enter_read");
  EXPECT_EQ(steps_of(spec, EACCES, 2),
            "syscalls:sys_enter_read:u/0: kernel.perf_event_paranoid=2: sampling user space only\n");
  spec.name += ":H";
  EXPECT_TRUE(steps_of(spec, EACCES, 2).starts_with("syscalls:sys_enter_read:Hu/0"));
}

TEST(FallbackSteps, TracepointsThatNeverFireInUserSpaceAreNotSampledThere) {
  EventSpec spec = tracepoint_spec("raw_syscalls", "sys_enter");
  EXPECT_EQ(steps_of(spec, EACCES, 2), "");
  spec.attr.sample_period = 0;  // as in linux-perf, a count of 0
  EXPECT_TRUE(steps_of(spec, EACCES, 2).starts_with("raw_syscalls:sys_enter:u/0"));
}

TEST(FallbackSteps, ChainsAreNotDeferredByOldKernels) {
  EventSpec spec = cycles_spec();
  spec.attr.set(flag::DeferOutput);
  EXPECT_EQ(steps_of(spec, EINVAL, 2), "cycles/0: \n");  // output only: not requested by the user
  spec.attr.set(flag::DeferCallchain);
  EXPECT_EQ(steps_of(spec, EINVAL, 2),
            "cycles/0: Deferred user call chains require Linux 6.19: recording them immediately\n");
}

TEST(OpenFailures, SayWhatToDo) {
  EventSpec branches = cycles_spec();
  branches.attr.sample_type = abi::sample_bit::BranchStack;
  EventSpec precise = cycles_spec();
  precise.attr.set_precise_ip(1);
  struct Case {
    EventSpec spec;
    int error;
    std::string_view hint;
  };
  const Case cases[] = {
      {cycles_spec(), EMFILE, "too many open events: raise the limit with 'ulimit -n'"},
      {cycles_spec(), EOPNOTSUPP, "the event's counter cannot sample: count it with 'stat'"},
      {precise, EOPNOTSUPP, "the event does not support precise sampling: drop 'p' from its modifiers"},
      {branches, EOPNOTSUPP,
       "branch stacks require a hardware event and hardware support (LBR, BRBE, BHRB), which virtual machines rarely "
       "have"},
      {cycles_spec(), EINVAL, "the kernel rejected this combination of attributes; 'record -vv' shows them"},
      {cycles_spec(), EPERM, "run as root; 'perf check' shows which permissions are missing"},
      {cycles_spec(), EIO, ""},
  };
  EXPECT_EQ(explain_open_failure(tracepoint_spec("sched", "sched_switch"), EPERM, 2).hint,
            "tracepoints need CAP_PERFMON, which root has except in most containers, or `sysctl "
            "kernel.perf_event_paranoid=-1`; 'perf check' shows which permissions are missing");
  for (const auto& [spec, error, hint] : cases) {
    const Error explained = explain_open_failure(spec, error, -1);
    EXPECT_EQ(explained.hint, hint) << error;
    EXPECT_TRUE(explained.message.starts_with("event cycles: ")) << explained.message;
    EXPECT_NE(explained.kind, ErrorKind::Unsupported) << error;
  }
}

TEST(SpecialEvents, AreWhatLinuxPerfRecords) {
  const EventSpec all = default_record_event(true, false), user = default_record_event(false, true);
  EXPECT_EQ(all.name, "cycles");
  EXPECT_TRUE(all.attr.has(flag::ExcludeGuest));
  EXPECT_FALSE(all.attr.has(flag::ExcludeKernel));
  EXPECT_EQ(user.name, "cycles:u");
  EXPECT_FALSE(user.attr.has(flag::ExcludeGuest));  // AMD's counters cannot distinguish it
  EXPECT_TRUE(user.attr.has(flag::ExcludeKernel));
  EXPECT_TRUE(all.precise_max && user.precise_max);
  EXPECT_TRUE(dummy_event().is_dummy());
  EXPECT_FALSE(all.is_dummy());
}

TEST(SpecialEvents, OffCpuSamplesHaveOnlyWhatBpfKnows) {
  EventList list{cycles_spec()};
  add_off_cpu_event(list);
  ASSERT_EQ(list.size(), 2u);
  EventSpec& spec = list[1];
  EXPECT_EQ(spec.leader, 1u);
  EXPECT_TRUE(is_off_cpu_event(spec));
  EXPECT_FALSE(is_off_cpu_event(list[0]));
  spec.attr.sample_type = abi::sample_bit::Callchain | abi::sample_bit::RegsUser | abi::sample_bit::Addr;
  spec.attr.sample_period = 4000;
  spec.attr.set(flag::Freq);
  spec.attr.sample_regs_user = 0xff;
  spec.attr.sample_stack_user = 8192;
  settle_off_cpu_event(spec);
  EXPECT_EQ(spec.attr.sample_type, abi::sample_bit::Callchain | abi::sample_bit::Ip | abi::sample_bit::Tid |
                                       abi::sample_bit::Time | abi::sample_bit::Period);
  EXPECT_EQ(spec.attr.sample_period, 1u);
  EXPECT_FALSE(spec.attr.has(flag::Freq));
  EXPECT_EQ(spec.attr.sample_regs_user, 0u);
  EXPECT_EQ(spec.attr.sample_stack_user, 0u);
  // A different event with that name does not qualify.
  spec.attr.config = 0;
  EXPECT_FALSE(is_off_cpu_event(spec));
}

}  // namespace
}  // namespace peregrine
