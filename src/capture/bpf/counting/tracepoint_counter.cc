#include "capture/bpf/counting/tracepoint_counter.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <utility>

#include <bpf/libbpf.h>
#include <tracepoint_count.skel.h>

#include "abi/attr.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/counting/tracepoint_count.h"
#include "capture/bpf/counting/tracepoint_plan.h"
#include "capture/bpf/patched_program.h"
#include "capture/bpf/watcher.h"
#include "capture/counter.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {

void TracepointCounter::Destroy::operator()(tracepoint_count* skeleton) const { tracepoint_count__destroy(skeleton); }

TracepointCounter::TracepointCounter() : watcher_(std::make_unique<Watcher>()) {}
TracepointCounter::TracepointCounter(TracepointCounter&&) noexcept = default;
TracepointCounter& TracepointCounter::operator=(TracepointCounter&&) noexcept = default;
TracepointCounter::~TracepointCounter() = default;

bool TracepointCounter::may_take(const EventList& events, std::size_t index) {
  namespace flag = abi::attr_flag;
  const EventSpec& spec = events[index];
  return spec.is_tracepoint() && spec.leader == index && spec.group_size == 1 && !spec.filter && spec.cgroup.empty() &&
         !spec.own_cpus && !spec.system_wide && !spec.immediate && !spec.attr.has(flag::ExcludeKernel) &&
         !spec.attr.has(flag::ExcludeUser) && !spec.system.empty() && spec.system != "ftrace";
}

// Opens one counter in steps. On an error, the counter's destructor undoes a partial step.
class TracepointCounterOpener {
 public:
  TracepointCounterOpener(const EventList& events, const Target& target, const PerfLimits& limits)
      : events_(events), target_(target), limits_(limits), plan_(plan_tracepoints(events)) {}

  Result<TracepointCounter> run(std::vector<bool>& taken) {
    if (plan_.hits.empty() && plan_.syscalls.empty())
      return fail(ErrorKind::Unsupported, "none of the events is a tracepoint");
    PEREGRINE_TRY(load());
    PEREGRINE_TRY(watcher().start(skeleton(), first_attr(), target_, limits_));
    raise_open_files(events_.size() * 3 + 256);
    PEREGRINE_TRY(attach_syscalls());
    for (const PlannedHit& hit : plan_.hits) PEREGRINE_TRY(attach(hit));
    if (counter_.counted_.empty())
      return fail(ErrorKind::Unsupported, "BPF programs cannot be attached to any of the tracepoints");
    std::ranges::sort(counter_.counted_, {}, &TracepointCounter::Counted::event);
    for (const auto& counted : counter_.counted_) taken[counted.event] = true;
    watcher().arm(skeleton());
    return std::move(counter_);
  }

 private:
  tracepoint_count& skeleton() { return *counter_.skeleton_; }
  Watcher& watcher() { return *counter_.watcher_; }
  const abi::EventAttr& first_attr() const {
    return events_[plan_.hits.empty() ? plan_.syscalls.front().event : plan_.hits.front().event].attr;
  }

  Result<> load() {
    counter_.skeleton_.reset(tracepoint_count__open());
    if (!counter_.skeleton_) return fail_errno("cannot open the BPF programs");
    PEREGRINE_TRY(watcher().prepare(skeleton(), target_, plan_.counters));
    for (const PlannedSyscall& call : plan_.syscalls)
      (call.enters ? skeleton().rodata->entered : skeleton().rodata->left)[call.call] =
          static_cast<u16>(call.number + 1);
    if (const int error = tracepoint_count__load(counter_.skeleton_.get()); error != 0)
      return fail_errno("cannot load the BPF programs", -error);
    return {};
  }

  Result<> attach_syscalls() {
    bool enters = false, leaves = false;
    for (const PlannedSyscall& call : plan_.syscalls) (call.enters ? enters : leaves) = true;
    if (enters) PEREGRINE_TRY(watcher().link(bpf_program__fd(skeleton().progs.count_enter), "sys_enter"));
    if (leaves) PEREGRINE_TRY(watcher().link(bpf_program__fd(skeleton().progs.count_leave), "sys_exit"));
    for (const PlannedSyscall& call : plan_.syscalls) counter_.counted_.push_back({call.event, call.number});
    return {};
  }

  // Tracepoints that link() cannot find by name (probes) are left to perf_event.
  Result<> attach(const PlannedHit& hit) {
    const Patch patch{kCounterMark, static_cast<i32>(hit.number)};
    auto program =
        load_patched(hit.by_amount ? skeleton().progs.count_amount : skeleton().progs.count_hit, std::span(&patch, 1));
    if (!program) return std::unexpected(std::move(program.error()));
    if (!watcher().link(program->get(), hit.tracepoint.c_str())) return {};
    counter_.programs_.push_back(std::move(*program));
    counter_.counted_.push_back({hit.event, hit.number});
    return {};
  }

  const EventList& events_;
  const Target& target_;
  const PerfLimits& limits_;
  TracepointPlan plan_;
  TracepointCounter counter_;
};

Result<TracepointCounter> TracepointCounter::open(const EventList& events, const Target& target,
                                                  const PerfLimits& limits, std::vector<bool>& taken) {
  return TracepointCounterOpener(events, target, limits).run(taken);
}

Result<> TracepointCounter::enable() { return watcher_->enable(*skeleton_); }
Result<> TracepointCounter::disable() { return watcher_->disable(*skeleton_); }
std::size_t TracepointCounter::programs() const { return watcher_->links().size(); }
std::vector<Fd> TracepointCounter::take_links() { return watcher_ ? std::move(watcher_->links()) : std::vector<Fd>(); }

void TracepointCounter::read(std::vector<std::vector<CounterReading>>& by_event) const {
  watcher_->for_each_place([&](const Watcher::Place& place) {
    for (const Counted& counted : counted_)
      by_event[counted.event].push_back({counted.event, place.cell.cpu, place.cell.thread,
                                         watcher_->sum(place, counted.number), place.enabled, place.running});
  });
}

u64 TracepointCounter::missed() const {
  u64 missed = skeleton_->bss->lost_tasks;
  for (const Fd& program : programs_) missed += missed_runs(program.get());
  missed += missed_runs(bpf_program__fd(skeleton_->progs.count_enter));
  return missed + missed_runs(bpf_program__fd(skeleton_->progs.count_leave));
}

}  // namespace peregrine
