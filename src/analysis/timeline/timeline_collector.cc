#include "analysis/timeline/timeline_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "abi/softirq.h"
#include "base/container/sort_unique.h"
#include "data/header/recorded_arch.h"
#include "event/field/trace_value.h"
#include "pipeline/replay/recorded_formats.h"

namespace peregrine {

namespace {

constexpr u32 kNoThread = ~u32{0};  // of samples while a task exits
constexpr std::size_t kMostTypes = 8192;

std::vector<u32> distinct(const std::vector<TimelineEvent>& events, u32 TimelineEvent::* member) {
  std::vector<u32> values;
  for (const TimelineEvent& event : events) values.push_back(event.*member);
  sort_unique(values);
  values.shrink_to_fit();
  return values;
}

}  // namespace

TimelineCollector::TimelineCollector(const data::Reader& reader, TimelineRequest request)
    : SchedSink(reader),
      reader_(reader),
      request_(std::move(request)),
      states_(rows_.states, timeline_.overview),
      slices_(rows_.slices, timeline_.overview),
      calls_(abi::syscall_set(data::recorded_arch(reader.header().features))) {
  timeline_.tasks.push_back({.comm = "idle"});
  texts_.intern("");
}

void TimelineCollector::begin_batch() {
  SchedSink::begin_batch();
  if (!error_) learn_types();
}

bool TimelineCollector::needs_samples_of(u32) const { return true; }

// In a pipe, events and their formats come late. The block so far ends: its values belong to the types so far.
void TimelineCollector::learn_types() {
  const data::Evlist& evlist = reader_.evlist();
  const std::size_t count = std::min(evlist.size(), kMostTypes);
  if (types_.size() == count && (has_formats_ || !has_formats(reader_))) return;
  auto formats = recorded_formats(reader_);
  if (!formats) {
    error_ = std::move(formats.error());
    return;
  }
  if (rows_.size() != 0) end_block(last_), begin_block();
  types_.clear();
  formats_ = std::move(*formats);
  has_formats_ = has_formats(reader_);
  if (timeline_.types.size() < count) timeline_.types.resize(count);
  for (std::size_t at = 0; at < count; ++at) types_.push_back(learn_type(at));
}

TimelineCollector::Type TimelineCollector::learn_type(std::size_t at) {
  const data::Event& event = reader_.evlist()[at];
  const abi::EventAttr& attr = event.attr;
  Type type;
  TimelineType& shown = timeline_.types[at];
  if (shown.name.empty()) shown.name = at < request_.names.size() ? request_.names[at] : event.name;
  shown.tracepoint = attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  const TraceFormat* format = shown.tracepoint ? formats_.format(attr.config) : nullptr;
  // Events that were read without a format keep having no fields.
  if (format != nullptr && (shown.count == 0 || !shown.columns.empty())) {
    type.fields.emplace(*format, formats_.print_format(attr.config), formats_.order());
    type.role = role_of(*format);
    shown.columns = type.fields->columns();
    if (shown.name.empty()) shown.name = format->system + ':' + format->name;
  }
  type.stacks = !shown.tracepoint || (attr.sample_type & abi::sample_bit::Callchain) != 0;
  type.cgroups = (attr.sample_type & abi::sample_bit::Cgroup) != 0;
  return type;
}

Result<> TimelineCollector::outcome() const {
  if (error_) return std::unexpected(*error_);
  PEREGRINE_TRY(TracepointSink::outcome());  // NOLINT(bugprone-parent-virtual-call): switches are not required
  if (start_) return {};
  if (timeline_.untimed != 0)
    return std::unexpected(Error{ErrorKind::Unsupported, "the samples of this recording have no times"}.with_hint(
        "record with --timestamp"));
  return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no samples"}.with_hint(
      "record with `perf record -a -e 'sched:*,irq:*,raw_syscalls:*,cpu-clock' -- sleep 10`"));
}

std::bitset<128> TimelineCollector::records() const {
  return kinds_of_records(
      {abi::RecordType::Comm, abi::RecordType::Fork, abi::RecordType::Exit, abi::RecordType::Cgroup});
}

void TimelineCollector::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const abi::SideBandBody& body = record.side_band->body;
  if (const auto* comm = std::get_if<abi::CommRecord>(&body)) {
    if (const auto found = tasks_.find(comm->tid); found != tasks_.end()) rename(found->second, comm->comm);
  } else if (const auto* fork = std::get_if<abi::ForkRecord>(&body)) {
    // A tid that is used again is a new task.
    const auto found = tasks_.find(fork->tid);
    if (found != tasks_.end() && states_.has_ended(found->second)) tasks_.erase(found);
  } else if (const auto* exit = std::get_if<abi::ExitRecord>(&body)) {
    const auto found = tasks_.find(exit->tid);
    if (found != tasks_.end() && start_) states_.ended(last_, found->second);
  } else if (const auto* cgroup = std::get_if<abi::CgroupRecord>(&body)) {
    cgroup_paths_[cgroup->id] = cgroup->path;
    if (const auto found = cgroups_.find(cgroup->id); found != cgroups_.end())
      timeline_.cgroups[found->second] = cgroup->path;
  }
}

u32 TimelineCollector::text(std::string_view text) {
  if (const StringId known = texts_.find(text); known.valid()) return known.value;
  if (text_bytes_ + text.size() > request_.text_bytes) {
    ++timeline_.dropped_texts;
    return 0;
  }
  constexpr std::size_t kOverhead = 4;
  text_bytes_ += text.size() + kOverhead;
  return texts_.intern(text).value;
}

void TimelineCollector::rename(u32 task, std::string_view comm) {
  if (task != TaskStates::kIdle && !comm.empty()) timeline_.tasks[task].comm = comm;
}

u32 TimelineCollector::task(u32 pid, u32 tid, std::string_view comm) {
  if (tid == 0) return TaskStates::kIdle;
  const auto [found, fresh] = tasks_.try_emplace(tid, static_cast<u32>(timeline_.tasks.size()));
  if (fresh) timeline_.tasks.push_back({.pid = pid, .tid = tid, .comm = std::string(comm)});
  TimelineTask& task = timeline_.tasks[found->second];
  if (pid != 0) task.pid = pid;
  return found->second;
}

u32 TimelineCollector::task_of(const ReplaySample& sample, Resolver& resolver) {
  const u32 tid = sample.sample.tid;
  if (tid == kNoThread) return states_.running_on(std::min(sample.sample.cpu, abi::kMostCpus - 1));
  if (const auto found = tasks_.find(tid); found != tasks_.end()) {
    timeline_.tasks[found->second].pid = sample.sample.pid;
    return found->second;
  }
  return task(sample.sample.pid, tid, tid == 0 ? std::string_view() : resolver.comm(sample.context));
}

u32 TimelineCollector::cgroup_of(u64 id) {
  const auto [found, fresh] = cgroups_.try_emplace(id, static_cast<u32>(timeline_.cgroups.size()));
  if (fresh) {
    const auto path = cgroup_paths_.find(id);
    timeline_.cgroups.push_back(path == cgroup_paths_.end() ? fmt::format("cgroup {}", id) : path->second);
  }
  return found->second;
}

// dev_t in the kernel: 12 bits of major and 20 of minor number.
u32 TimelineCollector::device_of(u64 number) {
  const auto [found, fresh] = devices_.try_emplace(number, static_cast<u32>(timeline_.devices.size()));
  if (fresh) timeline_.devices.push_back(fmt::format("{}:{}", number >> 20 & 0xfff, number & 0xfffff));
  return found->second;
}

u64 TimelineCollector::number(const TraceField* field, const ReplaySample& sample) const {
  return field == nullptr ? 0 : number_of(*field, sample.sample.raw, formats_.order());
}

// Since the start. Samples out of order, which the replay reports, are moved to the latest time.
u64 TimelineCollector::now(const ReplaySample& sample) {
  if (!start_) {
    start_ = sample.sample.time;
    timeline_.start = *start_;
    begin_block();
  }
  const u64 time = sample.sample.time > *start_ ? sample.sample.time - *start_ : 0;
  return last_ = std::max(last_, time);
}

void TimelineCollector::read_fields(Type& type, const ReplaySample& sample, Resolver& resolver) {
  type.fields->read(
      sample.sample.raw, [&](std::string_view own) { return text(own); },
      [&](u64 address) { return resolver.symbol_name(resolver.at(resolver.frame_anywhere(sample.context, address))); },
      type.values);
}

void TimelineCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (sample.event >= types_.size()) return;
  if (sample.sample.time == 0) {
    ++timeline_.untimed;
    return;
  }
  const u64 time = now(sample);
  if (rows_.size() >= request_.block_rows) end_block(time), begin_block();
  Type& type = types_[sample.event];
  const u32 who = task_of(sample, resolver), cpu = std::min(sample.sample.cpu, abi::kMostCpus - 1);
  TimelineEvent event{.time = time, .type = sample.event, .cpu = cpu, .task = who};
  if (type.stacks) event.stack = stacks_.stack_of(sample, timeline_.tasks[who].comm, resolver);
  if (type.cgroups) event.cgroup = cgroup_of(sample.sample.cgroup) + 1;
  cpus_.insert(cpu);
  rows_.events.push_back(event);
  ++type.counted;
  ++timeline_.types[sample.event].count;
  ++timeline_.tasks[who].events;
  ++timeline_.event_count;
  timeline_.overview.add_event(sample.event, time);
  if (type.fields) read_fields(type, sample, resolver);
  if (type.role.role != EventRole::None) play_role(type, sample, who, time);
  SchedSink::sample(sample, resolver, worker);
}

u32 TimelineCollector::call_name(const RoleFields& role, const ReplaySample& sample) {
  if (!role.name.empty()) return text(role.name);
  const u64 id = number(role.fields[0], sample);
  const std::string_view known = id < 0xffff ? abi::syscall_name(calls_, static_cast<u32>(id)) : std::string_view();
  return known.empty() ? text(fmt::format("syscall {}", static_cast<i64>(id))) : text(known);
}

u32 TimelineCollector::interrupt_name(const RoleFields& role, const ReplaySample& sample) {
  if (!role.name.empty()) return text(role.name);
  const u64 id = number(role.fields[0], sample);
  if (role.role == EventRole::SoftirqBegins)
    return id < std::size(abi::kSoftirqNames) ? text(abi::kSoftirqNames[id]) : text(fmt::format("softirq {}", id));
  if (role.fields[1] != nullptr) return text(text_of(*role.fields[1], sample.sample.raw, formats_.order()));
  return text(fmt::format("irq {}", id));
}

void TimelineCollector::play_request(const RoleFields& role, const ReplaySample& sample, u64 time) {
  const u32 device = device_of(number(role.fields[0], sample));
  const u64 sector = number(role.fields[1], sample);
  if (role.role == EventRole::RequestEnds) return slices_.end(time, SliceKind::Request, device, sector);
  constexpr u64 kSectorBytes = 512, kKilo = 1024;
  const std::string_view flags =
      role.fields[2] == nullptr ? "" : text_of(*role.fields[2], sample.sample.raw, formats_.order());
  const u64 size = number(role.fields[3], sample) * kSectorBytes / kKilo;
  slices_.start(time, SliceKind::Request, device, text(fmt::format("{} {} KiB", flags, size)), sector);
}

void TimelineCollector::play_power(const RoleFields& role, const ReplaySample& sample, u64 time) {
  const StepKind kind = role.role == EventRole::IdleState ? StepKind::IdleState : StepKind::Frequency;
  const u64 wanted = role.fields[1] == nullptr ? sample.sample.cpu : number(role.fields[1], sample);
  const auto cpu = static_cast<u32>(std::min<u64>(wanted, abi::kMostCpus - 1));
  const u64 value = number(role.fields[0], sample) & 0xffffffffU;
  cpus_.insert(cpu);
  u64& last = values_[{static_cast<u8>(kind), cpu}];
  last = value;
  u64& highest = timeline_.highest[static_cast<std::size_t>(kind)];
  if (kind == StepKind::Frequency || value != kAwake) highest = std::max(highest, value);
  rows_.steps.push_back({.time = time, .value = value, .kind = kind, .cpu = cpu});
}

void TimelineCollector::play_role(const Type& type, const ReplaySample& sample, u32 task, u64 time) {
  const RoleFields& role = type.role;
  const u32 cpu = std::min(sample.sample.cpu, abi::kMostCpus - 1);
  switch (role.role) {
    case EventRole::CallBegins:
      if (task != TaskStates::kIdle) slices_.start(time, SliceKind::Call, task, call_name(role, sample));
      return;
    case EventRole::CallEnds:
      return slices_.end(time, SliceKind::Call, task);
    case EventRole::InterruptBegins:
      return slices_.start(time, SliceKind::Interrupt, cpu, interrupt_name(role, sample));
    case EventRole::InterruptEnds:
      return slices_.end(time, SliceKind::Interrupt, cpu);
    case EventRole::SoftirqBegins:
      return slices_.start(time, SliceKind::Softirq, cpu, interrupt_name(role, sample));
    case EventRole::SoftirqEnds:
      return slices_.end(time, SliceKind::Softirq, cpu);
    case EventRole::VectorBegins:
      return slices_.start(time, SliceKind::Vector, cpu, interrupt_name(role, sample));
    case EventRole::VectorEnds:
      return slices_.end(time, SliceKind::Vector, cpu);
    case EventRole::RequestBegins:
    case EventRole::RequestEnds:
      return play_request(role, sample, time);
    case EventRole::IdleState:
    case EventRole::Frequency:
      return play_power(role, sample, time);
    case EventRole::None:
      return;
  }
}

void TimelineCollector::happened(const SchedEvent& event, const ReplaySample&, Resolver&) {
  const u32 cpu = std::min(event.cpu, abi::kMostCpus - 1);
  const u64 time = last_;
  switch (event.kind) {
    case SchedKind::Switch: {
      const u32 from = task(event.tid == event.task ? event.pid : 0, event.task, event.comm);
      const u32 to = task(0, event.next, event.next_comm);
      rename(from, event.comm), rename(to, event.next_comm);
      // No CPU switches in the middle of an interrupt.
      for (const SliceKind kind : {SliceKind::Interrupt, SliceKind::Softirq, SliceKind::Vector})
        slices_.forget(kind, cpu);
      const auto call = event.state == 'R' ? std::nullopt : slices_.open_name(SliceKind::Call, from);
      return states_.switched(time, cpu, from, event.state, call ? *call + 1 : 0, to, block_first_);
    }
    case SchedKind::Wakeup:
      if (has(SchedKind::Waking)) return;  // count the earlier of the two
      [[fallthrough]];
    case SchedKind::Waking:
    case SchedKind::NewTask: {
      const u32 woken = task(0, event.task, event.comm);
      rename(woken, event.comm);
      const bool interrupt = event.interrupting || event.tid == 0;
      const u32 waker = interrupt                ? kInterruptWakes
                        : event.tid == kNoThread ? kUnknownWaker
                                                 : task(event.pid, event.tid, {}) + kFirstWaker;
      return states_.woken(time, woken, waker);
    }
    case SchedKind::Migrate:
    case SchedKind::Runtime:
      return;
  }
}

void TimelineCollector::begin_block() {
  block_first_ = last_;
  for (const auto& [place, value] : values_)
    rows_.steps.push_back(
        {.time = block_first_, .value = value, .kind = static_cast<StepKind>(place.first), .cpu = place.second});
}

void TimelineCollector::end_block(u64 time) {
  states_.cut(time);
  slices_.cut(time);
  TimelineBlock block{.first = block_first_,
                      .last = time,
                      .events = static_cast<u32>(rows_.events.size()),
                      .rows = static_cast<u32>(rows_.size()),
                      .types = distinct(rows_.events, &TimelineEvent::type),
                      .cpus = distinct(rows_.events, &TimelineEvent::cpu),
                      .tasks = distinct(rows_.events, &TimelineEvent::task)};
  block.lanes = pack_rows(rows_);
  for (std::size_t at = 0; at < types_.size(); ++at) {
    Type& type = types_[at];
    if (type.counted != 0) append_fields_of_type(block.fields, timeline_.types[at].columns, type.values);
    type.counted = 0;
    type.values.clear();
  }
  rows_ = TimelineRows();
  if (request_.blocks != nullptr) request_.blocks->take(block);
  timeline_.blocks.push_back(std::move(block));
}

Timeline TimelineCollector::finish() {
  if (start_) end_block(last_ + 1);
  timeline_.length = last_ + 1;
  timeline_.dropped_slices = slices_.dropped();
  timeline_.dropped_states = states_.dropped();
  for (u32 at = 0; at < texts_.size(); ++at) timeline_.texts.emplace_back(texts_.view(StringId(at)));
  const std::vector<u64>& times = states_.run_times();
  for (std::size_t at = 0; at < times.size() && at < timeline_.tasks.size(); ++at)
    timeline_.tasks[at].run_time = times[at];
  timeline_.cpus.assign(cpus_.begin(), cpus_.end());
  StackProfile& stacks = timeline_.stacks;
  stacks_.table().take(stacks.texts, stacks.frames, stacks.stacks);
  return std::move(timeline_);
}

}  // namespace peregrine
