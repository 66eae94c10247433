#include "capture/diagnosis/ability.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "abi/attr.h"
#include "base/fd.h"
#include "capture/perf_event/event_matrix.h"
#include "sys/process/process.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;

constexpr u64 kSamplePeriod = 1'000'000'000;  // so long that no sample occurs

abi::EventAttr event(abi::EventType type, u64 config) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(type);
  attr.config = config;
  attr.sample_period = kSamplePeriod;
  attr.set(flag::Disabled);
  return attr;
}

abi::EventAttr for_user(abi::EventAttr attr) {
  attr.set(flag::ExcludeKernel);
  attr.set(flag::ExcludeHv);
  return attr;
}

int open_once(const abi::EventAttr& attr, Pid pid, int cpu) {
  const int opened = open_event(attr, pid, cpu, -1);
  if (opened < 0) return -opened;
  const Fd closer(opened);
  return 0;
}

// Loads "r0 = 0; exit" as a perf_event program, the kind that a profiler needs.
int load_program() {
  bpf_insn program[2]{};
  program[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  program[1].code = BPF_JMP | BPF_EXIT;
  const char license[] = "GPL";
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
  attr.insn_cnt = 2;
  attr.insns = reinterpret_cast<u64>(program);
  attr.license = reinterpret_cast<u64>(license);
  const long opened = ::syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
  if (opened < 0) return errno;
  const Fd closer(static_cast<int>(opened));
  return 0;
}

}  // namespace

Trials try_everything(std::optional<u64> tracepoint) {
  using abi::EventType;
  Trials trials;
  const auto clock = event(EventType::Software, static_cast<u64>(abi::SoftwareEvent::CpuClock));
  trials[Trial::OwnUser] = open_once(for_user(clock), 0, -1);
  trials[Trial::OwnKernel] = open_once(clock, 0, -1);
  trials[Trial::WholeMachine] = open_once(clock, -1, 0);
  if (tracepoint) {
    auto attr = event(EventType::Tracepoint, *tracepoint);
    attr.sample_type = abi::sample_bit::Raw;
    trials[Trial::Tracepoint] = open_once(attr, 0, -1);
  }
  auto cycles = for_user(event(EventType::Hardware, static_cast<u64>(abi::HardwareEvent::Cycles)));
  trials[Trial::Cycles] = open_once(cycles, 0, -1);
  auto branches = cycles;
  branches.sample_type = abi::sample_bit::BranchStack;
  branches.branch_sample_type = abi::branch_bit::User | abi::branch_bit::Any;
  trials[Trial::BranchStack] = open_once(branches, 0, -1);
  cycles.set_precise_ip(2);
  trials[Trial::PreciseCycles] = open_once(cycles, 0, -1);
  auto breakpoint = for_user(event(EventType::Breakpoint, 0));
  breakpoint.bp_type = 2;  // HW_BREAKPOINT_W
  breakpoint.config1 = reinterpret_cast<u64>(&breakpoint) & ~u64{7};
  breakpoint.config2 = 8;
  breakpoint.sample_period = 1;
  trials[Trial::Breakpoint] = open_once(breakpoint, 0, -1);
  trials[Trial::Bpf] = load_program();
  return trials;
}

}  // namespace peregrine
