#include "capture/scheduling/cpu_usage_watcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <time.h>

#include <cpu_usage.skel.h>

#include <algorithm>
#include <expected>

#include "base/fd.h"
#include "capture/bpf/scheduling/cpu_usage.h"
#include "capture/bpf/watcher.h"
#include "capture/perf_event/perf_clock.h"
#include "capture/scheduling/work_watcher.h"

namespace peregrine {

namespace {

std::string comm_of(const char (&comm)[kUsageCommBytes]) { return std::string(comm, ::strnlen(comm, sizeof comm)); }

}  // namespace

WatchedCpu end_course(const cpu_course& course, u32 cpu, u64 until, UsageByTask& tasks) {
  WatchedCpu times{
      .cpu = cpu, .total = course.total, .idle = course.idle, .irq = course.irq, .softirq = course.softirq};
  const u64 rest = until > course.since ? until - course.since : 0;
  times.total += rest;
  if (course.irqs != 0) {
    times.irq += rest;
  } else if (course.softirqs != 0) {
    times.softirq += rest;
  } else {
    if (course.tid == 0) times.idle += rest;
    const u32 of = course.tid == 0 ? cpu : 0;
    WatchedUsage& usage = tasks[{course.tid, of}];
    usage.tid = course.tid;
    usage.cpu = of;
    usage.comm = comm_of(course.comm);
    usage.runtime += rest;
  }
  return times;
}

struct CpuUsageWatcher::State {
  struct Destroy {
    void operator()(cpu_usage* opened) const { cpu_usage__destroy(opened); }
  };
  Result<> load(const std::vector<u32>& cpus);
  void collect(u64 until);
  void collect_tasks();

  std::unique_ptr<cpu_usage, Destroy> skeleton;
  std::vector<Fd> links;
  std::vector<WatchedCpu> cpus;
  UsageByTask tasks;
};

Result<> CpuUsageWatcher::State::load(const std::vector<u32>& chosen) {
  libbpf_set_print(nullptr);
  skeleton.reset(cpu_usage__open());
  if (!skeleton) return fail_errno("cannot open the BPF program");
  auto& data = *skeleton->rodata;
  data.some_cpus = chosen.empty() ? 0 : 1;
  for (const u32 cpu : chosen) {
    if (cpu >= kUsageCpus) return fail(ErrorKind::Unsupported, "cannot measure CPU {} with BPF", cpu);
    data.chosen_cpus[cpu] = 1;
  }
  bpf_map__set_max_entries(skeleton->maps.courses, static_cast<u32>(std::max(libbpf_num_possible_cpus(), 1)));
  if (const int error = cpu_usage__load(skeleton.get()); error != 0) {
    auto failure = fail_errno("cannot load the BPF program", -error);
    failure.error().hint = kKernelWorkNeeds;
    return failure;
  }
  const auto& progs = skeleton->progs;
  for (const bpf_program* program :
       {progs.switch_task, progs.enter_irq, progs.leave_irq, progs.enter_softirq, progs.leave_softirq}) {
    auto link = link_program(bpf_program__fd(program), nullptr);
    if (!link) return std::unexpected(std::move(link.error()));
    links.push_back(std::move(*link));
  }
  return {};
}

void CpuUsageWatcher::State::collect_tasks() {
  const int map = bpf_map__fd(skeleton->maps.tasks);
  usage_key key{};
  for (const void* before = nullptr; bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    task_usage usage{};
    if (bpf_map_lookup_elem(map, &key, &usage) != 0) continue;
    tasks[{key.tid, key.cpu}] = {.tid = key.tid, .cpu = key.cpu, .comm = comm_of(usage.comm), .runtime = usage.runtime};
  }
}

void CpuUsageWatcher::State::collect(u64 until) {
  collect_tasks();
  const int map = bpf_map__fd(skeleton->maps.courses);
  for (u32 cpu = 0; cpu < bpf_map__max_entries(skeleton->maps.courses); ++cpu) {
    cpu_course course{};
    if (bpf_map_lookup_elem(map, &cpu, &course) == 0 && course.since != 0)
      cpus.push_back(end_course(course, cpu, until, tasks));
  }
}

CpuUsageWatcher::CpuUsageWatcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
CpuUsageWatcher::CpuUsageWatcher(CpuUsageWatcher&&) noexcept = default;
CpuUsageWatcher& CpuUsageWatcher::operator=(CpuUsageWatcher&&) noexcept = default;
CpuUsageWatcher::~CpuUsageWatcher() = default;

Result<CpuUsageWatcher> CpuUsageWatcher::open(const std::vector<u32>& cpus) {
  auto state = std::make_unique<State>();
  PEREGRINE_TRY(state->load(cpus));
  return CpuUsageWatcher(std::move(state));
}

Result<> CpuUsageWatcher::enable() {
  state_->skeleton->bss->running = 1;
  return {};
}

Result<> CpuUsageWatcher::disable() {
  state_->skeleton->bss->running = 0;
  const u64 until = static_cast<u64>(read_clock(CLOCK_MONOTONIC));
  state_->links.clear();
  state_->collect(until);
  return {};
}

std::vector<WatchedCpu> CpuUsageWatcher::cpus() const { return state_->cpus; }

std::vector<WatchedUsage> CpuUsageWatcher::tasks() const {
  std::vector<WatchedUsage> all;
  for (const auto& [key, usage] : state_->tasks) all.push_back(usage);
  return all;
}

u64 CpuUsageWatcher::lost() const { return state_->skeleton->bss->lost_time; }

}  // namespace peregrine
