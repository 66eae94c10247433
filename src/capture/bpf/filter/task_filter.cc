#include "capture/bpf/filter/task_filter.h"

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <task_filter.skel.h>

#include <expected>
#include <utility>

#include "base/types.h"
#include "capture/bpf/task_mark.h"
#include "capture/bpf/watched_task.h"
#include "capture/bpf/watcher.h"

namespace peregrine {

TaskFilter::TaskFilter() = default;
TaskFilter::TaskFilter(TaskFilter&&) noexcept = default;
TaskFilter& TaskFilter::operator=(TaskFilter&&) noexcept = default;
TaskFilter::~TaskFilter() = default;
void TaskFilter::Destroy::operator()(task_filter* skeleton) const { task_filter__destroy(skeleton); }

Result<TaskFilter> TaskFilter::open(Pid process) {
  libbpf_set_print(nullptr);
  TaskFilter filter;
  filter.skeleton_.reset(task_filter__open());
  if (!filter.skeleton_) return fail_errno("cannot open the BPF programs of --per-cpu");
  task_filter& skeleton = *filter.skeleton_;
  if (const int error = task_filter__load(&skeleton); error != 0) {
    auto failure = fail_errno("cannot load the BPF programs of --per-cpu", -error);
    failure.error().hint = "requires Linux 5.11 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF and CAP_PERFMON";
    return failure;
  }
  skeleton.bss->at_exec = 1;
  auto on_exec = link_program(bpf_program__fd(skeleton.progs.start_at_exec), nullptr);
  if (!on_exec) return std::unexpected(std::move(on_exec.error()));
  auto on_child = link_program(bpf_program__fd(skeleton.progs.watch_child), nullptr);
  if (!on_child) return std::unexpected(std::move(on_child.error()));
  filter.on_exec_ = std::move(*on_exec);
  filter.on_child_ = std::move(*on_child);
  const watched_task mark{.row = 0, .armed = 1};
  PEREGRINE_TRY(mark_task(bpf_map__fd(skeleton.maps.watched), process, &mark));
  return filter;
}

Result<> TaskFilter::attach(int event) {
  if (::ioctl(event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skeleton_->progs.keep_followed)) != 0)
    return fail_errno("cannot attach a BPF program to an event");
  return {};
}

u64 TaskFilter::lost_tasks() const { return skeleton_->bss->lost_tasks; }

}  // namespace peregrine
