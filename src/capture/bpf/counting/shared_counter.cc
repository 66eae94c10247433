#include "capture/bpf/counting/shared_counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <shared_count.skel.h>

#include <cstddef>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/counting/shared_count.h"
#include "capture/bpf/watcher.h"
#include "capture/counter.h"
#include "event/spec.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

void SharedCounter::Destroy::operator()(shared_count* skeleton) const { shared_count__destroy(skeleton); }

SharedCounter::SharedCounter(CpuEvent event) : event_(std::move(event)), watcher_(std::make_unique<Watcher>()) {}
SharedCounter::SharedCounter(SharedCounter&&) noexcept = default;
SharedCounter& SharedCounter::operator=(SharedCounter&&) noexcept = default;
SharedCounter::~SharedCounter() = default;

Result<SharedCounter> SharedCounter::open(const EventSpec& spec, CpuEvent event, const Target& target,
                                          const CpuList& online, const PerfLimits& limits) {
  SharedCounter counter(std::move(event));
  counter.online_ = online;
  counter.skeleton_.reset(shared_count__open());
  if (!counter.skeleton_) return fail_errno("cannot open the BPF programs");
  shared_count& skeleton = *counter.skeleton_;
  Watcher& watcher = *counter.watcher_;
  PEREGRINE_TRY(watcher.prepare(skeleton, target, kCounterSums));
  if (const int error = bpf_map__reuse_fd(skeleton.maps.shared_events, counter.event_.map()); error != 0)
    return fail_errno("cannot use the counter map", -error);
  if (const int error = shared_count__load(&skeleton); error != 0)
    return fail_errno("cannot load the BPF programs", -error);
  const int program = bpf_program__fd(skeleton.progs.account);
  // Must run before the watcher's program arms the task at exec, so that earlier counts are charged to nobody.
  for (const char* tracepoint : {"task_rename", "sched_switch"}) PEREGRINE_TRY(watcher.link(program, tracepoint));
  PEREGRINE_TRY(watcher.start(skeleton, spec.attr, target, limits));
  counter.account_everywhere();
  watcher.arm(skeleton);
  return counter;
}

void SharedCounter::account_everywhere() const {
  for (const int cpu : online_) {
    bpf_test_run_opts options{};
    options.sz = sizeof options;
    options.flags = BPF_F_TEST_RUN_ON_CPU;
    options.cpu = static_cast<u32>(cpu);
    // This fails on an offline CPU, which has nothing to add.
    bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.account), &options);
  }
}

Result<> SharedCounter::enable() {
  account_everywhere();
  return watcher_->enable(*skeleton_);
}

Result<> SharedCounter::disable() {
  account_everywhere();
  return watcher_->disable(*skeleton_);
}

void SharedCounter::read(std::size_t event, std::vector<CounterReading>& readings) const {
  account_everywhere();
  watcher_->for_each_place([&](const Watcher::Place& place) {
    readings.push_back({event, place.cell.cpu, place.cell.thread, watcher_->sum(place, kCounted),
                        watcher_->sum(place, kEnabled), watcher_->sum(place, kRunning)});
  });
}

}  // namespace peregrine
