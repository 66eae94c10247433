#include "capture/bpf/syscall/syscall_tracer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <span>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "abi/attr.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_trace.h"  // types that the skeleton uses
#include "capture/perf_event/event_matrix.h"
#include "event/syscall/signature.h"
#include "sys/process/process.h"
#include "sys/root.h"

#include <syscall_trace.skel.h>

#include "capture/bpf/syscall/syscall_plan.h"
#include "capture/bpf/syscall/traced_record.h"
#include "capture/bpf/watched_task.h"
#include "capture/bpf/watcher.h"
#include "capture/perf_event/background_close.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {
namespace {

constexpr std::size_t kDefaultRing = std::size_t{16} << 20;
constexpr std::size_t kCallersRing = std::size_t{64} << 20;  // a stack takes a few thousand bytes
// Entries of the map of shared sums, allocated when used.
constexpr std::size_t kMostSums = std::size_t{1} << 20;
// Up to this many calls get programs at their own tracepoints. Each call costs two perf_events, which are slow to
// close (background_close.h).
constexpr std::ptrdiff_t kFewCalls = 8;

// Then only their own tracepoints are traced, if they have any.
bool are_few(const SyscallTraceOptions& options) { return std::ranges::count(options.chosen, true) <= kFewCalls; }

}  // namespace

void SyscallTracer::Destroy::operator()(syscall_trace* skeleton) const { syscall_trace__destroy(skeleton); }
void SyscallTracer::Destroy::operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
SyscallTracer::SyscallTracer() : delivery_(std::make_unique<TracedDelivery>()) {}
SyscallTracer::SyscallTracer(SyscallTracer&&) noexcept = default;
SyscallTracer::~SyscallTracer() { close_in_background(std::move(events_)); }

int SyscallTracer::deliver(void* delivery, void* data, std::size_t size) {
  const Bytes record(static_cast<const std::byte*>(data), size);
  return deliver_traced(record, *static_cast<TracedDelivery*>(delivery)) ? 0 : -1;
}

Result<SyscallTracer> SyscallTracer::open(const Root& root, const SyscallTraceOptions& options) {
  SyscallTracer tracer;
  PEREGRINE_TRY(tracer.load(options));
  if (!are_few(options) || !tracer.attach_to(root, options)) {
    PEREGRINE_TRY(tracer.attach_to_all());
    return tracer;
  }
  if (abi::syscall_set(abi::kHostArch, true) == abi::SyscallSet::Unknown) return tracer;
  // A 32-bit program may be executed at any time: see_exec notices it, and notice_narrow() then attaches the rest.
  tracer.sees_narrow_ = false;
  PEREGRINE_TRY(tracer.attach(tracer.skeleton_->progs.see_exec));
  tracer.skeleton_->bss->narrow_begun = options.narrow ? 1 : 0;
  if (options.narrow) {
    const auto seen = tracer.notice_narrow();
    if (!seen) return std::unexpected(seen.error());
    tracer.means_ += ", of 32-bit programs at sys_enter and sys_exit";
  }
  return tracer;
}

Result<> SyscallTracer::load(const SyscallTraceOptions& options) {
  libbpf_set_print(nullptr);
  skeleton_.reset(syscall_trace__open());
  if (!skeleton_) return fail_errno("cannot open the BPF programs");
  // rodata is frozen by the load below. The verifier then knows these values and removes the code of unset options.
  auto& given = *skeleton_->rodata;
  plan_calls(Signatures(abi::syscall_set(abi::kHostArch)), options.chosen, options.buffer_bytes,
             std::span(given.plans, kTracedCalls));
  plan_calls(Signatures(abi::syscall_set(abi::kHostArch, true)), options.chosen_narrow, options.buffer_bytes,
             std::span(given.plans + kTracedCalls, kTracedCalls));
  given.following = options.following;
  given.children = options.children;
  given.writing = options.writing;
  given.summing = options.summing;
  given.sum_by_thread = options.sum_by == SumBy::Thread;
  given.sum_by_cgroup = options.sum_by == SumBy::Cgroup;
  given.sum_by_error = options.sum_errors;
  given.only_failed = options.only_failed;
  given.least_duration = options.least_duration;
  given.by_user = options.user.has_value();
  given.user = options.user.value_or(0);
  given.by_cpu = !options.cpus.empty();
  for (const int cpu : options.cpus)
    if (cpu >= 0 && cpu < static_cast<int>(std::size(given.cpus))) given.cpus[cpu] = 1;
  given.by_cgroup = options.cgroup.has_value();
  if (options.cgroup) {
    given.cgroup = options.cgroup->id;
    given.cgroup_level = options.cgroup->level;
  }
  given.own_pid = static_cast<u32>(::getpid());
  given.excluding = !options.excluded.empty();
  given.caller_frames = options.caller_frames * u32{sizeof(u64)};
  given.caller_stack = options.caller_stack_bytes;
  size_maps(options);
  if (!are_few(options)) {  // the kernel takes 13 ms to verify each
    bpf_program__set_autoload(skeleton_->progs.enter_one, false);
    bpf_program__set_autoload(skeleton_->progs.leave_one, false);
  }
  if (const int error = syscall_trace__load(skeleton_.get()); error != 0)
    return fail_errno("cannot load the BPF programs", -error);
  ring_.reset(ring_buffer__new(bpf_map__fd(skeleton_->maps.ring), deliver, delivery_.get(), nullptr));
  if (!ring_) return fail_errno("cannot map the ring buffer of the BPF programs");
  // Maps have no descriptor before the load.
  for (const Pid pid : options.excluded) {
    const u32 key = static_cast<u32>(pid), value = 1;
    bpf_map_update_elem(bpf_map__fd(skeleton_->maps.excluded), &key, &value, BPF_ANY);
  }
  PEREGRINE_TRY(attach(skeleton_->progs.rename_task));
  return attach(skeleton_->progs.follow_child);
}

Result<> SyscallTracer::attach(const bpf_program* program) {
  auto link = link_program(bpf_program__fd(program), nullptr);
  if (!link) return std::unexpected(std::move(link.error()));
  links_.push_back(std::move(*link));
  return {};
}

Result<bool> SyscallTracer::notice_narrow() {
  if (sees_narrow_ || skeleton_->bss->narrow_begun == 0) return false;
  sees_narrow_ = true;
  // Before attaching: 64-bit calls are already traced at their own tracepoints and would be recorded twice.
  skeleton_->bss->narrow_only = 1;
  // Exits first: a call that is seen to begin is then also seen to end.
  PEREGRINE_TRY(attach(skeleton_->progs.leave_call));
  PEREGRINE_TRY(attach(skeleton_->progs.enter_call));
  return true;
}

void SyscallTracer::size_maps(const SyscallTraceOptions& options) {
  const bool callers = options.caller_frames != 0 || options.caller_stack_bytes != 0;
  const std::size_t ring = options.ring_bytes != 0 ? options.ring_bytes : callers ? kCallersRing : kDefaultRing;
  bpf_map__set_max_entries(skeleton_->maps.ring, static_cast<u32>(ring));
  bpf_map__set_max_entries(skeleton_->maps.sums, options.summing ? kMostSums : 1);
  if (!callers) return;
  // One caller per CPU: its stack is too large for the stack of a BPF program.
  const std::size_t words = options.caller_stack_bytes != 0 ? unsigned{kStackRegisters} : options.caller_frames;
  const std::size_t stack = options.caller_stack_bytes != 0 ? options.caller_stack_bytes + kStackPage : 0;
  bpf_map__set_value_size(skeleton_->maps.callers,
                          static_cast<u32>(sizeof(traced_caller) + words * sizeof(u64) + stack));
  bpf_map__set_max_entries(skeleton_->maps.callers, static_cast<u32>(std::max(libbpf_num_possible_cpus(), 1)));
}

Result<> SyscallTracer::attach_to_all() {
  // Exits first, as above.
  PEREGRINE_TRY(attach(skeleton_->progs.leave_call));
  PEREGRINE_TRY(attach(skeleton_->progs.enter_call));
  means_ = "BPF programs at sys_enter and sys_exit";
  return {};
}

Result<> SyscallTracer::attach_to(const Root& root, const SyscallTraceOptions& options) {
  const auto tracefs = Tracefs::find(root);
  if (!tracefs) return std::unexpected(tracefs.error());
  std::vector<u64> enters, exits;
  for (u32 number = 0; number < options.chosen.size(); ++number) {
    if (!options.chosen[number]) continue;
    const auto name = abi::syscall_tracepoint(abi::syscall_set(abi::kHostArch), number);
    const auto enter = tracefs->id("syscalls", fmt::format("sys_enter_{}", name));
    if (!enter) return std::unexpected(enter.error());
    const auto leave = tracefs->id("syscalls", fmt::format("sys_exit_{}", name));
    if (!leave) return std::unexpected(leave.error());
    enters.push_back(*enter);
    exits.push_back(*leave);
  }
  // Exits first, as above.
  for (const u64 id : exits) PEREGRINE_TRY(attach_event(bpf_program__fd(skeleton_->progs.leave_one), id));
  for (const u64 id : enters) PEREGRINE_TRY(attach_event(bpf_program__fd(skeleton_->progs.enter_one), id));
  means_ = fmt::format("BPF programs at the tracepoints of {}", counted(enters.size(), "system call"));
  return {};
}

// The event counts nothing: it only attaches the program to its tracepoint, on every CPU.
Result<> SyscallTracer::attach_event(int program, u64 tracepoint) {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  attr.config = tracepoint;
  attr.sample_period = 1;
  attr.set(abi::attr_flag::Disabled);
  const int opened = open_event(attr, -1, 0, -1);
  if (opened < 0) return fail_errno("cannot open a tracepoint", -opened);
  Fd event(opened);
  if (::ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program) != 0)
    return fail_errno("cannot attach a BPF program to a tracepoint");
  events_.push_back(std::move(event));
  return {};
}

Result<> SyscallTracer::follow(Pid thread, bool at_exec) {
  // On the heap, because it includes the buffer for the arguments of a call.
  auto mark = std::make_unique<traced_task>();
  mark->followed = 1;
  mark->armed = at_exec ? 1 : 0;
  return mark_task(bpf_map__fd(skeleton_->maps.traced), thread, mark.get());
}

void SyscallTracer::start() { skeleton_->bss->running = 1; }
void SyscallTracer::stop() { skeleton_->bss->running = 0; }

bool SyscallTracer::drain(CallReader& reader) {
  delivery_->reader = &reader;
  return ring_buffer__consume(ring_.get()) >= 0;
}

std::vector<CallSum> SyscallTracer::sums() const {
  std::vector<CallSum> sums;
  const bool by_thread = skeleton_->rodata->sum_by_thread != 0;
  // The programs count own_sums_taken up before they check it, so it may exceed the array.
  for (u32 i = 0; i < std::min<u32>(skeleton_->bss->own_sums_taken, kOwnSums); ++i) {
    const own_sum& own = skeleton_->bss->own_sums[i];
    if (own.sum.calls != 0) sums.push_back(call_sum_of(own.key, own.sum, by_thread));
  }
  const int map = bpf_map__fd(skeleton_->maps.sums);
  call_key key{}, next{};
  for (const call_key* at = nullptr; bpf_map_get_next_key(map, at, &next) == 0; at = &key) {
    key = next;
    call_sum sum{};
    if (bpf_map_lookup_elem(map, &key, &sum) == 0) sums.push_back(call_sum_of(key, sum, by_thread));
  }
  return sums;
}

u64 SyscallTracer::lost() const {
  return skeleton_->bss->lost_calls + skeleton_->bss->lost_sums + skeleton_->bss->lost_tasks;
}

}  // namespace peregrine
