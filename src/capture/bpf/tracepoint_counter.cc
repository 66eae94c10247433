#include "capture/bpf/tracepoint_counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include <tracepoint_count.skel.h>

#include "capture/bpf/tracepoint_count.h"
#include "capture/bpf/tracepoint_plan.h"
#include "capture/bpf/watched_task.h"
#include "capture/counter.h"

namespace peregrine {

namespace {
constexpr std::size_t kMostCounters = std::size_t{8} << 20;  // 64 MB of them
constexpr std::size_t kLine = 8;                             // counters in a cache line
}  // namespace

class TracepointCounter::Table {
 public:
  static Result<std::unique_ptr<Table>> map(int fd, std::size_t rows, std::size_t stride) {
    const std::size_t size = rows * stride * sizeof(u64);
    void* place = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (place == MAP_FAILED) return fail_errno("mapping the counters");
    auto table = std::make_unique<Table>();
    table->place_ = static_cast<const volatile u64*>(place);
    table->size_ = size;
    table->stride_ = stride;
    return table;
  }
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    if (place_ != nullptr) ::munmap(const_cast<u64*>(place_), size_);
  }
  u64 at(std::size_t row, u32 number) const { return place_[row * stride_ + number]; }
  std::size_t rows() const { return size_ / sizeof(u64) / stride_; }

 private:
  const volatile u64* place_ = nullptr;
  std::size_t size_ = 0, stride_ = 1;
};

void TracepointCounter::Destroy::operator()(tracepoint_count* skeleton) const { tracepoint_count__destroy(skeleton); }

TracepointCounter::TracepointCounter() = default;
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

// Opens one counter, step by step; what a step leaves half done goes with the counter.
class TracepointCounterOpener {
 public:
  TracepointCounterOpener(const EventList& events, const Target& target, const PerfLimits& limits)
      : events_(events), target_(target), limits_(limits), plan_(plan_tracepoints(events)) {
    counter_.by_thread_ = target.kind != TargetKind::Cpus;
  }

  Result<TracepointCounter> run(std::vector<bool>& taken) {
    if (plan_.hits.empty() && plan_.syscalls.empty()) return fail(ErrorKind::Unsupported, "no tracepoint among them");
    PEREGRINE_TRY(load());
    PEREGRINE_TRY(open_clock());
    if (counter_.by_thread_) PEREGRINE_TRY(watch_target());
    raise_open_files(events_.size() * 3 + 256);
    PEREGRINE_TRY(attach_syscalls());
    for (const PlannedHit& hit : plan_.hits) PEREGRINE_TRY(attach(hit));
    if (counter_.counted_.empty()) return fail(ErrorKind::Unsupported, "none of them can be attached to");
    std::ranges::sort(counter_.counted_, {}, &TracepointCounter::Counted::event);
    for (const auto& counted : counter_.counted_) taken[counted.event] = true;
    const auto& attr = first_attr();
    skeleton().bss->at_exec = attr.has(abi::attr_flag::EnableOnExec) ? 1 : 0;
    skeleton().bss->running = skeleton().bss->at_exec != 0 || !attr.has(abi::attr_flag::Disabled) ? 1 : 0;
    return std::move(counter_);
  }

 private:
  tracepoint_count& skeleton() { return *counter_.skeleton_; }
  const abi::EventAttr& first_attr() const {
    return events_[plan_.hits.empty() ? plan_.syscalls.front().event : plan_.hits.front().event].attr;
  }

  Result<> load() {
    libbpf_set_print(nullptr);
    counter_.skeleton_.reset(tracepoint_count__open());
    if (!counter_.skeleton_) return fail_errno("opening the BPF programs");
    const std::size_t cpus = static_cast<std::size_t>(std::max(libbpf_num_possible_cpus(), 1));
    const std::size_t threads = counter_.by_thread_ ? target_.threads.size() : 1;
    const std::size_t stride = (plan_.counters + kLine - 1) / kLine * kLine;
    if (cpus * threads * stride > kMostCounters)
      return fail(ErrorKind::Unsupported, "{} threads on {} CPUs would need too many counters", threads, cpus);
    skeleton().rodata->stride = static_cast<u32>(stride);
    skeleton().rodata->threads = static_cast<u32>(threads);
    skeleton().rodata->by_thread = counter_.by_thread_ ? 1 : 0;
    for (const PlannedSyscall& call : plan_.syscalls)
      (call.enters ? skeleton().rodata->entered : skeleton().rodata->left)[call.call] =
          static_cast<u16>(call.number + 1);
    bpf_map__set_max_entries(skeleton().maps.counts, static_cast<u32>(cpus * threads * stride));
    bpf_program__set_autoload(skeleton().progs.watch_child, counter_.by_thread_);
    bpf_program__set_autoload(skeleton().progs.start_at_exec, counter_.by_thread_);
    if (const int error = tracepoint_count__load(counter_.skeleton_.get()); error != 0)
      return fail_errno("loading the BPF programs", -error);
    auto table = TracepointCounter::Table::map(bpf_map__fd(skeleton().maps.counts), cpus * threads, stride);
    if (!table) return std::unexpected(std::move(table.error()));
    counter_.table_ = std::move(*table);
    return {};
  }

  Result<> open_clock() {
    EventSpec dummy;
    dummy.name = "dummy";
    dummy.attr = first_attr();
    dummy.attr.type = static_cast<u32>(abi::EventType::Software);
    dummy.attr.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
    dummy.attr.sample_type = 0;
    EventList list{dummy};
    OpenPolicy policy;
    policy.limits = limits_;
    policy.cpus = counter_.by_thread_ ? CpuList{-1} : target_.cpus;
    policy.threads = counter_.by_thread_ ? target_.threads : std::vector<Pid>{-1};
    std::vector<std::string> warnings;
    auto clock = EventMatrix::open(list, policy, warnings);
    if (!clock) return std::unexpected(std::move(clock.error()));
    counter_.clock_ = std::move(*clock);
    return {};
  }

  Result<> watch_target() {
    const bool armed = first_attr().has(abi::attr_flag::EnableOnExec);
    u32 row = 0;
    for (const Cell& cell : counter_.clock_.at(0).cells) {
      if (cell.fd)
        PEREGRINE_TRY(
            mark_task(bpf_map__fd(skeleton().maps.watched), cell.thread, {.row = row, .armed = armed ? 1u : 0u}));
      ++row;
    }
    if (first_attr().has(abi::attr_flag::Inherit)) PEREGRINE_TRY(link(skeleton().progs.watch_child, nullptr));
    if (armed) PEREGRINE_TRY(link(skeleton().progs.start_at_exec, nullptr));
    return {};
  }

  // `tracepoint`: null for a program that names its own.
  Result<> link(const bpf_program* program, const char* tracepoint) {
    const int link = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(program));
    if (link < 0) return fail_errno("attaching a BPF program", -link);
    counter_.links_.emplace_back(link);
    return {};
  }

  Result<> attach_syscalls() {
    bool enters = false, leaves = false;
    for (const PlannedSyscall& call : plan_.syscalls) (call.enters ? enters : leaves) = true;
    if (enters) PEREGRINE_TRY(link(skeleton().progs.count_enter, "sys_enter"));
    if (leaves) PEREGRINE_TRY(link(skeleton().progs.count_leave, "sys_exit"));
    for (const PlannedSyscall& call : plan_.syscalls) counter_.counted_.push_back({call.event, call.number});
    return {};
  }

  // A tracepoint that has no name of its own (probes) is left to perf_event.
  Result<> attach(const PlannedHit& hit) {
    auto program =
        load_numbered_copy(hit.by_amount ? skeleton().progs.count_amount : skeleton().progs.count_hit, hit.number);
    if (!program) return std::unexpected(std::move(program.error()));
    const int link = bpf_raw_tracepoint_open(hit.tracepoint.c_str(), program->get());
    if (link < 0) return {};
    counter_.links_.emplace_back(link);
    counter_.programs_.push_back(std::move(*program));
    counter_.counted_.push_back({hit.event, hit.number});
    return {};
  }

  static Result<Fd> load_numbered_copy(const bpf_program* original, u32 number) {
    const bpf_insn* first = bpf_program__insns(original);
    std::vector<bpf_insn> code(first, first + bpf_program__insn_cnt(original));
    unsigned marks = 0;
    for (bpf_insn& instruction : code) {
      if (instruction.imm != kNumberMark || instruction.code == (BPF_LD | BPF_IMM | BPF_DW)) continue;
      instruction.imm = static_cast<i32>(number);
      ++marks;
    }
    if (marks != 1) return fail(ErrorKind::Unsupported, "a BPF program has {} places for its number", marks);
    const int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, bpf_program__name(original), "GPL", code.data(),
                                 code.size(), nullptr);
    if (fd < 0) return fail_errno("loading a BPF program", -fd);
    return Fd(fd);
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

Result<> TracepointCounter::enable() {
  skeleton_->bss->at_exec = 0;
  skeleton_->bss->running = 1;
  return clock_.enable();
}

Result<> TracepointCounter::disable() {
  skeleton_->bss->running = 0;
  return clock_.disable();
}

void TracepointCounter::read(std::vector<std::vector<CounterReading>>& by_event) const {
  const auto& cells = clock_.at(0).cells;
  const std::size_t threads = by_thread_ ? cells.size() : 1;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    u64 clock[3] = {};  // value, enabled, running
    if (!cells[at].fd || ::read(cells[at].fd.get(), clock, sizeof clock) != sizeof clock) continue;
    for (const Counted& counted : counted_) {
      u64 value = 0;
      if (by_thread_)
        for (std::size_t row = at; row < table_->rows(); row += threads) value += table_->at(row, counted.number);
      else
        value = table_->at(static_cast<std::size_t>(cells[at].cpu), counted.number);
      by_event[counted.event].push_back({counted.event, cells[at].cpu, cells[at].thread, value, clock[1], clock[2]});
    }
  }
}

u64 TracepointCounter::missed() const {
  u64 missed = skeleton_->bss->lost_tasks;
  const auto add = [&](int fd) {
    bpf_prog_info info{};
    u32 size = sizeof info;
    if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0) missed += info.recursion_misses;
  };
  for (const Fd& program : programs_) add(program.get());
  add(bpf_program__fd(skeleton_->progs.count_enter));
  add(bpf_program__fd(skeleton_->progs.count_leave));
  return missed;
}

}  // namespace peregrine
