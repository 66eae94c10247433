#include "capture/scheduling/lock_watcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include <lock_wait.skel.h>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/scheduling/lock_wait.h"
#include "capture/bpf/watcher.h"

namespace peregrine {

namespace {

template <class From, class To, std::size_t N>
Result<u32> fill(const std::vector<From>& from, To (&to)[N], std::string_view what) {
  if (from.size() > N) return fail(ErrorKind::Usage, "cannot select more than {} {}", N, what);
  std::ranges::copy(from, to);
  return static_cast<u32>(from.size());
}

}  // namespace

struct LockWatcher::State {
  struct Destroy {
    void operator()(lock_wait* opened) const { lock_wait__destroy(opened); }
  };
  Result<> configure(const LockWatchRequest& request, const Target& target);
  Result<> load(const LockWatchRequest& request, const Target& target, bool at_exec, const PerfLimits& limits);
  std::vector<u64> frames(i32 stack) const;

  std::unique_ptr<lock_wait, Destroy> skeleton;
  Watcher watcher;
};

Result<> LockWatcher::State::configure(const LockWatchRequest& request, const Target& target) {
  auto& data = *skeleton->rodata;
  data.by_lock = request.by == LockWaitsBy::Lock ? 1 : 0;
  data.by_task = request.by == LockWaitsBy::Task ? 1 : 0;
  data.by_stack = request.by == LockWaitsBy::Caller ? 1 : 0;
  data.by_owner = request.by == LockWaitsBy::Owner ? 1 : 0;
  data.by_cgroup = request.by == LockWaitsBy::Cgroup ? 1 : 0;
  const auto types = fill(request.types, data.types, "lock types");
  const auto locks = fill(request.locks, data.locks, "locks");
  const auto cgroups = fill(request.cgroups, data.cgroups, "control groups");
  for (const auto* count : {&types, &locks, &cgroups})
    if (!*count) return std::unexpected(count->error());
  if (request.delays.size() > kLockFilters)
    return fail(ErrorKind::Usage, "too many locks to delay (maximum {})", static_cast<int>(kLockFilters));
  for (const LockWatchRequest::Delay& delay : request.delays) {
    data.delayed_locks[data.delay_count] = delay.lock;
    data.delays[data.delay_count++] = delay.ns;
  }
  data.type_count = *types;
  data.lock_count = *locks;
  data.cgroup_count = *cgroups;
  bpf_map__set_max_entries(skeleton->maps.waits, std::max(request.most_kinds, 1u));
  if (target.kind != TargetKind::Cpus) return {};
  data.some_cpus = 1;
  for (const int cpu : target.cpus) {
    if (cpu < 0 || cpu >= kLockCpus) return fail(ErrorKind::Unsupported, "waits on CPU {}", cpu);
    data.chosen_cpus[cpu] = 1;
  }
  return {};
}

Result<> LockWatcher::State::load(const LockWatchRequest& request, const Target& target, bool at_exec,
                                  const PerfLimits& limits) {
  skeleton.reset(lock_wait__open());
  if (!skeleton) return fail_errno("cannot open the BPF program");
  PEREGRINE_TRY(watcher.prepare(*skeleton, target, 1));
  PEREGRINE_TRY(configure(request, target));
  if (const int error = lock_wait__load(skeleton.get()); error != 0) {
    auto failure = fail_errno("cannot load the BPF program", -error);
    failure.error().hint =
        "requires Linux 5.19 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF and CAP_PERFMON; `perf lock record` "
        "requires less";
    return failure;
  }
  abi::EventAttr attr;
  attr.set(abi::attr_flag::Inherit);
  attr.set(abi::attr_flag::Disabled);
  attr.set(abi::attr_flag::EnableOnExec, at_exec);
  PEREGRINE_TRY(watcher.start(*skeleton, attr, target, limits));
  // The end first: a wait that is seen to begin is then also seen to end.
  PEREGRINE_TRY(watcher.link(bpf_program__fd(skeleton->progs.end_wait)));
  PEREGRINE_TRY(watcher.link(bpf_program__fd(skeleton->progs.begin_wait)));
  watcher.arm(*skeleton);
  return {};
}

std::vector<u64> LockWatcher::State::frames(i32 stack) const {
  std::vector<u64> frames(kLockFrames);
  if (stack < 0 || bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.stacks), &stack, frames.data()) != 0) return {};
  frames.erase(std::ranges::find(frames, u64{0}), frames.end());
  return frames;
}

LockWatcher::LockWatcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
LockWatcher::LockWatcher(LockWatcher&&) noexcept = default;
LockWatcher& LockWatcher::operator=(LockWatcher&&) noexcept = default;
LockWatcher::~LockWatcher() = default;

Result<LockWatcher> LockWatcher::open(const LockWatchRequest& request, const Target& target, bool at_exec,
                                      const PerfLimits& limits) {
  auto state = std::make_unique<State>();
  PEREGRINE_TRY(state->load(request, target, at_exec, limits));
  return LockWatcher(std::move(state));
}

Result<> LockWatcher::enable() { return state_->watcher.enable(*state_->skeleton); }
Result<> LockWatcher::disable() { return state_->watcher.disable(*state_->skeleton); }

std::vector<LockWaits> LockWatcher::waits() const {
  std::vector<LockWaits> all;
  const int map = bpf_map__fd(state_->skeleton->maps.waits);
  lock_wait_key key{};
  for (const void* before = nullptr; bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    lock_wait_sums sums{};
    if (bpf_map_lookup_elem(map, &key, &sums) != 0 || sums.count == 0) continue;
    all.push_back({.lock = sums.lock,
                   .cgroup = key.cgroup,
                   .tid = state_->skeleton->rodata->by_owner != 0 ? key.tid : sums.tid,
                   .comm = std::string(sums.comm, ::strnlen(sums.comm, sizeof sums.comm)),
                   .flags = sums.flags,
                   .count = sums.count,
                   .total = sums.total,
                   .most = sums.most,
                   .least = sums.least,
                   .frames = state_->frames(sums.stack)});
  }
  return all;
}

LockWatcher::Lost LockWatcher::lost() const {
  const auto& counts = *state_->skeleton->bss;
  return {counts.lost_waits, counts.lost_stacks, counts.lost_tasks};
}

u64 LockWatcher::injected_delays() const { return state_->skeleton->bss->injected; }

}  // namespace peregrine
