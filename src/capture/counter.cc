#include "capture/counter.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/bpf/counting/cpu_event.h"
#include "capture/perf_event/background_close.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "event/spec.h"
#include "event/tracepoint/value_field.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// The number of tracepoints from which BPF counts them. BPF takes 20 ms to set up (the kernel's type data) and 0.2 ms
// per program. With fewer events perf_event opens faster. Closing such an event takes 39 ms, but in the background: it
// delays only whoever opens the next ones meanwhile.
constexpr std::size_t kManyTracepoints = 4;

// BPF reads each counter separately and cannot keep a group together.
void separate_groups(EventList& events) {
  using namespace abi::attr_flag;
  for (std::size_t index = 0; index < events.size(); ++index) {
    EventSpec& spec = events[index];
    // Only the leader's attr says how a group starts. It precedes its members, so it is changed first and keeps its
    // flags.
    const u64 start = events[spec.leader].attr.flags & (Disabled | EnableOnExec);
    spec.leader = index;
    spec.group_size = 1;
    spec.attr.flags |= start;
    spec.attr.read_format &= ~(abi::read_bit::Group | abi::read_bit::Id);
  }
}

// Software events never wait for a counter. In cgroups, however, the kernel may leave their enabled clock running while
// the group is switched out, so read_cell() replaces the enabled time by the running time.
bool never_waits(const EventSpec& spec) {
  const auto type = static_cast<abi::EventType>(spec.attr.type);
  return !spec.cgroup.empty() && (type == abi::EventType::Software || type == abi::EventType::Tracepoint);
}

bool is_not_counted(int reason) {
  return reason == ENOENT || reason == EOPNOTSUPP || reason == ENODEV || reason == EINVAL;
}

}  // namespace

CounterSet::~CounterSet() {
  std::vector<Fd> slow;
  if (slow_to_close_) slow = matrix_.take_descriptors();
  if (tracepoints_)
    for (Fd& link : tracepoints_->take_links()) slow.push_back(std::move(link));
  if (!slow.empty()) close_in_background(std::move(slow));
}

std::vector<bool> CounterSet::open_tracepoints(const EventList& events, const Target& target,
                                               const PerfLimits& limits) {
  std::vector<bool> taken(events.size(), false);
  std::size_t candidates = 0, tracepoints = 0;
  for (std::size_t index = 0; index < events.size(); ++index) {
    tracepoints += events[index].is_tracepoint();
    candidates += TracepointCounter::may_take(events, index);
  }
  if (tracepoints == 0) return taken;
  means_ = fmt::format("tracepoints: {} by perf_event, closed in the background", tracepoints);
  if (candidates < kManyTracepoints) return taken;
  auto counter = TracepointCounter::open(events, target, limits, taken);
  if (!counter) {
    means_ += fmt::format("; without the faster BPF programs: {}", counter.error().message);
    return std::vector<bool>(events.size(), false);
  }
  tracepoints_ = std::move(*counter);
  const auto by_bpf = static_cast<std::size_t>(std::ranges::count(taken, true));
  means_ = fmt::format("tracepoints: {} by {} BPF programs", by_bpf, tracepoints_->programs());
  if (by_bpf < tracepoints) means_ += fmt::format(", {} by perf_event, closed in the background", tracepoints - by_bpf);
  return taken;
}

Result<> CounterSet::open_values(std::span<const ValueField> fields, std::span<const i64> bounds, const Target& target,
                                 const PerfLimits& limits) {
  auto values = ValueCounter::open(fields, bounds, target, limits);
  if (!values) {
    values.error().message = fmt::format("values of {}: {}", fields.front().name, values.error().message);
    values.error().hint = "BPF counting requires root, or CAP_BPF and CAP_PERFMON";
    return std::unexpected(std::move(values.error()));
  }
  value_counter_ = std::move(*values);
  return {};
}

// Events that the kernel lacks are left to the matrix, which reports them properly.
Result<> CounterSet::open_bpf(const EventList& events, const Target& target, const PerfLimits& limits,
                              const BpfCounting& bpf, std::vector<bool>& taken) {
  const CpuList online = online_cpus(Root());
  cpus_ = target.kind == TargetKind::Cpus ? target.cpus : online;
  std::size_t opened = 0, found = 0;
  std::string unshared;
  for (std::size_t index = 0; index < events.size(); ++index) {
    const EventSpec& spec = events[index];
    if (spec.tool != ToolEvent::None || !spec.cgroup.empty()) continue;
    const auto open = [&] { return CpuEvent::open(spec, spec.own_cpus.value_or(online), bpf.registry, unshared); };
    auto event = open();
    if (!event && is_not_counted(event.error().system_errno)) continue;
    if (!event) return std::unexpected(std::move(event.error()));
    taken[index] = true;
    ++opened;
    found += event->found();
    if (bpf.programs.empty()) {
      auto counter = SharedCounter::open(spec, std::move(*event), target, online, limits);
      if (!counter) return std::unexpected(std::move(counter.error()));
      shared_.push_back({index, std::move(*counter)});
    }
    for (const u32 program : bpf.programs) {
      auto again = open();
      if (!again) return std::unexpected(std::move(again.error()));
      auto counter = ProgramCounter::open(std::move(*again), program);
      if (!counter) return std::unexpected(std::move(counter.error()));
      in_programs_.push_back({index, std::move(*counter)});
    }
  }
  means_ +=
      fmt::format("{}{} read by BPF programs", means_.empty() ? "" : "\n", counted(opened, "event is", "events are"));
  if (found != 0) means_ += fmt::format(", {} of them from another session's counters", found);
  if (!unshared.empty()) means_ += fmt::format("; counters cannot be shared: {}", unshared);
  return {};
}

Result<> CounterSet::enable() {
  for (auto& counted : shared_) PEREGRINE_TRY(counted.counter.enable());
  for (auto& counted : in_programs_) counted.counter.enable(true);
  if (value_counter_) PEREGRINE_TRY(value_counter_->enable());
  if (tracepoints_) PEREGRINE_TRY(tracepoints_->enable());
  return matrix_.enable();
}

Result<> CounterSet::disable() {
  for (auto& counted : shared_) PEREGRINE_TRY(counted.counter.disable());
  for (auto& counted : in_programs_) counted.counter.enable(false);
  if (value_counter_) PEREGRINE_TRY(value_counter_->disable());
  if (tracepoints_) PEREGRINE_TRY(tracepoints_->disable());
  return matrix_.disable();
}

Result<CounterSet> CounterSet::open(EventList& events, const Target& target, const PerfLimits& limits,
                                    std::vector<std::string>& warnings, OnOpen on_open, TracepointMeans means,
                                    const BpfCounting& bpf) {
  PEREGRINE_TRY(place_breakpoints(Root(), target, events));
  OpenPolicy policy;
  policy.limits = limits;
  policy.skip_unsupported = true;
  policy.on_open = std::move(on_open);
  if (target.kind == TargetKind::Cpus) {
    policy.cpus = target.cpus;
    policy.threads = {-1};
  } else {
    policy.cpus = {-1};
    policy.threads = target.threads;
  }
  CounterSet set;
  // A caller that wants to see every attr must also see those of tracepoints.
  if (!policy.on_open && means == TracepointMeans::Fastest)
    policy.elsewhere = set.open_tracepoints(events, target, limits);
  if (bpf.wanted()) {
    separate_groups(events);
    policy.elsewhere.resize(events.size(), false);
    if (auto opened = set.open_bpf(events, target, limits, bpf, policy.elsewhere); !opened) {
      opened.error().hint =
          opened.error().hint.empty() ? "BPF counting requires root, or CAP_BPF and CAP_PERFMON" : opened.error().hint;
      return std::unexpected(std::move(opened.error()));
    }
  }
  auto matrix = EventMatrix::open(events, policy, warnings);
  if (!matrix) return std::unexpected(std::move(matrix.error()));
  set.matrix_ = std::move(*matrix);
  for (std::size_t index = 0; index < events.size(); ++index)
    set.slow_to_close_ |= events[index].is_tracepoint() && !set.matrix_.at(index).cells.empty();
  set.shapes_.resize(events.size());
  for (std::size_t index = 0; index < events.size(); ++index) {
    auto& shape = set.shapes_[index];
    shape.read_format = events[index].attr.read_format;
    shape.never_waits = never_waits(events[index]);
    if (!set.supported(index) || events[index].tool != ToolEvent::None) continue;
    const std::size_t leader = events[index].leader;
    if ((events[leader].attr.read_format & abi::read_bit::Group) == 0) continue;
    set.shapes_[leader].members.push_back(index);
    set.shapes_[leader].never_waits &= shape.never_waits;
    shape.by_leader = leader != index;
  }
  return set;
}

void CounterSet::read_cell(std::size_t event, const Cell& cell, std::vector<std::vector<CounterReading>>& out) {
  if (!cell.fd) return;
  const Shape& shape = shapes_[event];
  const std::size_t members = std::max<std::size_t>(shape.members.size(), 1);
  std::vector<std::byte> bytes((3 + members * 3) * sizeof(u64));
  const ssize_t size = ::read(cell.fd.get(), bytes.data(), bytes.size());
  if (size <= 0) return;
  ByteReader in(Bytes(bytes).first(static_cast<std::size_t>(size)));
  abi::ReadValues values;
  if (!abi::decode_read(in, shape.read_format, values, values_)) return;
  if (shape.never_waits) values.time_enabled = values.time_running;
  for (std::size_t at = 0; at < values.values.size() && at < members; ++at) {
    const std::size_t member = shape.members.empty() ? event : shape.members[at];
    out[member].push_back(
        {member, cell.cpu, cell.thread, values.values[at].value, values.time_enabled, values.time_running});
  }
}

std::vector<CounterReading> CounterSet::read() {
  std::vector<std::vector<CounterReading>> by_event(shapes_.size());
  for (std::size_t index = 0; index < shapes_.size(); ++index) {
    if (shapes_[index].by_leader) continue;
    for (const Cell& cell : matrix_.at(index).cells) read_cell(index, cell, by_event);
  }
  if (tracepoints_) tracepoints_->read(by_event);
  for (const auto& counted : shared_) counted.counter.read(counted.event, by_event[counted.event]);
  for (const auto& counted : in_programs_) counted.counter.read(counted.event, cpus_, by_event[counted.event]);
  std::vector<CounterReading> readings;
  for (const auto& part : by_event) readings.insert(readings.end(), part.begin(), part.end());
  return readings;
}

std::vector<CounterReading> readings_since(std::span<const CounterReading> now,
                                           std::span<const CounterReading> before) {
  std::vector<CounterReading> differences;
  std::size_t hint = 0;
  for (CounterReading reading : now) {
    auto same = [&](const CounterReading& old) {
      return old.event == reading.event && old.cpu == reading.cpu && old.thread == reading.thread;
    };
    if (hint >= before.size() || !same(before[hint]))
      hint = static_cast<std::size_t>(std::ranges::find_if(before, same) - before.begin());
    if (hint < before.size()) {
      reading.value -= before[hint].value;
      reading.enabled -= before[hint].enabled;
      reading.running -= before[hint].running;
      ++hint;
    }
    differences.push_back(reading);
  }
  return differences;
}

}  // namespace peregrine
