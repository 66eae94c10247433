#include "capture/scheduling/work_watcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include <kernel_work.skel.h>

#include <expected>
#include <utility>

#include "base/fd.h"
#include "base/types.h"
#include "capture/bpf/scheduling/kernel_work.h"
#include "capture/bpf/watcher.h"

namespace peregrine {

struct WorkWatcher::State {
  struct Destroy {
    void operator()(kernel_work* opened) const { kernel_work__destroy(opened); }
  };
  struct Program {
    bpf_program* program;
    work_kind kind;
    bool of_delays, of_runtimes;
    const char* tracepoint = nullptr;  // set if it is a raw tracepoint
  };
  std::vector<Program> programs() const;
  Result<> load(const WorkWatchRequest& request);

  std::unique_ptr<kernel_work, Destroy> skeleton;
  std::vector<Fd> links;
};

std::vector<WorkWatcher::State::Program> WorkWatcher::State::programs() const {
  const auto& progs = skeleton->progs;
  return {{progs.enter_irq, kWorkIrq, true, true},
          {progs.leave_irq, kWorkIrq, true, true},
          {progs.raise_softirq, kWorkSoftirq, true, false},
          {progs.enter_softirq, kWorkSoftirq, true, true},
          {progs.leave_softirq, kWorkSoftirq, true, true},
          {progs.raise_item, kWorkItem, true, false},
          {progs.enter_item, kWorkItem, true, true},
          {progs.leave_item, kWorkItem, true, true, "workqueue_execute_end"}};
}

Result<> WorkWatcher::State::load(const WorkWatchRequest& request) {
  libbpf_set_print(nullptr);
  skeleton.reset(kernel_work__open());
  if (!skeleton) return fail_errno("cannot open the BPF program");
  auto& data = *skeleton->rodata;
  data.delays = request.delays ? 1 : 0;
  data.some_cpus = request.cpus.empty() ? 0 : 1;
  for (const u32 cpu : request.cpus) {
    if (cpu >= kWorkCpus) return fail(ErrorKind::Unsupported, "cannot measure CPU {} with BPF", cpu);
    data.chosen_cpus[cpu] = 1;
  }
  std::vector<Program> wanted = programs();
  std::erase_if(wanted, [&](const Program& each) {
    const bool used = request.kinds[each.kind] && (request.delays ? each.of_delays : each.of_runtimes);
    bpf_program__set_autoload(each.program, used);
    return !used;
  });
  if (const int error = kernel_work__load(skeleton.get()); error != 0) {
    auto failure = fail_errno("cannot load the BPF program", -error);
    failure.error().hint = kKernelWorkNeeds;
    return failure;
  }
  for (const Program& each : wanted) {
    auto link = link_program(bpf_program__fd(each.program), each.tracepoint);
    if (!link) return std::unexpected(std::move(link.error()));
    links.push_back(std::move(*link));
  }
  return {};
}

WorkWatcher::WorkWatcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
WorkWatcher::WorkWatcher(WorkWatcher&&) noexcept = default;
WorkWatcher& WorkWatcher::operator=(WorkWatcher&&) noexcept = default;
WorkWatcher::~WorkWatcher() = default;

Result<WorkWatcher> WorkWatcher::open(const WorkWatchRequest& request) {
  auto state = std::make_unique<State>();
  PEREGRINE_TRY(state->load(request));
  return WorkWatcher(std::move(state));
}

Result<> WorkWatcher::enable() {
  state_->skeleton->bss->running = 1;
  return {};
}

Result<> WorkWatcher::disable() {
  state_->skeleton->bss->running = 0;
  state_->links.clear();
  return {};
}

std::vector<WatchedWork> WorkWatcher::work() const {
  std::vector<WatchedWork> all;
  const int map = bpf_map__fd(state_->skeleton->maps.work);
  work_key key{};
  for (const void* before = nullptr; bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    work_sums sums{};
    if (bpf_map_lookup_elem(map, &key, &sums) != 0) continue;
    all.push_back({.kind = key.kind,
                   .cpu = key.cpu,
                   .id = key.id,
                   .function = sums.function,
                   .name = std::string(sums.name, ::strnlen(sums.name, sizeof sums.name)),
                   .count = sums.count,
                   .total = sums.total,
                   .most = sums.most,
                   .most_from = sums.most_from,
                   .most_until = sums.most_until,
                   .events = sums.events,
                   .first = sums.first,
                   .last = sums.last,
                   .missed_entries = sums.missed_entries,
                   .missed_exits = sums.missed_exits});
  }
  return all;
}

std::vector<WatchedWork> WorkWatcher::raises() const {
  std::vector<WatchedWork> all;
  const int map = bpf_map__fd(state_->skeleton->maps.raised);
  work_key key{};
  for (const void* before = nullptr; bpf_map_get_next_key(map, before, &key) == 0; before = &key) {
    work_raise raise{};
    if (bpf_map_lookup_elem(map, &key, &raise) != 0) continue;
    all.push_back({.kind = key.kind, .id = key.id, .function = raise.function, .name = {}});
  }
  return all;
}

u64 WorkWatcher::lost() const { return state_->skeleton->bss->lost_events; }

}  // namespace peregrine
