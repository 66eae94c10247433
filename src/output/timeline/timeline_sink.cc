#include "output/timeline/timeline_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "data/header/recorded_arch.h"
#include "event/field/trace_value.h"
#include "event/print/print_fields.h"
#include "pipeline/replay/recorded_tracing.h"

namespace peregrine {
namespace {

using Kind = TimelineTrack::Kind;

constexpr std::size_t kMostOpen = 64;            // slices on a track: interrupts and calls do not nest deeper
constexpr std::size_t kMostArgumentText = 4096;  // formats are untrusted

}  // namespace

TimelineSink::Role TimelineSink::role_of(const TraceFormat& format) {
  const std::string_view system = format.system, name = format.name;
  if (system == "sched" && name == "sched_switch") return Role::Switch;
  if ((system == "raw_syscalls" && name == "sys_enter") || (system == "syscalls" && name.starts_with("sys_enter_")))
    return Role::SyscallEnter;
  if ((system == "raw_syscalls" && name == "sys_exit") || (system == "syscalls" && name.starts_with("sys_exit_")))
    return Role::SyscallExit;
  if (system == "irq" && (name == "irq_handler_entry" || name == "softirq_entry")) return Role::InterruptEnter;
  if (system == "irq" && (name == "irq_handler_exit" || name == "softirq_exit")) return Role::InterruptExit;
  if (system == "power" && name == "cpu_frequency") return Role::Frequency;
  if (system == "power" && name == "cpu_idle") return Role::Idle;
  return Role::Other;
}

void TimelineSink::begin_batch() {
  if (tracing_ || error_) return;
  const std::vector<std::byte> bytes = recorded_tracing_data(reader_);
  if (bytes.empty()) return;
  auto tracing = decode_tracing_data(bytes);
  if (tracing)
    tracing_ = std::move(*tracing);
  else
    error_ = std::move(tracing.error());
}

const TimelineSink::Planned& TimelineSink::plan(u32 event) {
  if (event >= plans_.size()) plans_.resize(event + 1);
  if (plans_[event]) return *plans_[event];
  if (event >= names_.size()) names_ = names_of_();
  names_.resize(std::max<std::size_t>(names_.size(), event + 1));
  const abi::EventAttr& attr = reader_.evlist()[event].attr;
  Planned planned;
  if (attr.type == static_cast<u32>(abi::EventType::Tracepoint) && tracing_)
    planned.format = tracing_->find(static_cast<u32>(attr.config));
  if (planned.format != nullptr) planned.role = role_of(*planned.format);
  return *(plans_[event] = planned);
}

std::vector<TimelineArgument> TimelineSink::arguments_of(const TraceFormat& format, Bytes raw) const {
  std::vector<TimelineArgument> arguments;
  std::size_t size = 0;
  for (const TraceField& field : format.fields) {
    if (size > kMostArgumentText) break;
    TimelineArgument argument{.name = field.name, .value = {}};
    if (is_unavailable(field, raw, tracing_->order)) {
      argument.value = std::string(kUnavailable);
    } else if (field.is_array) {
      TextBuffer text;
      put_plain_value(text, field, raw, tracing_->order);
      argument.value = std::string(text.view().substr(0, kMostArgumentText));
    } else {
      const u64 value = number_of(field, raw, tracing_->order);
      if (field.is_signed)
        argument.value = static_cast<i64>(value);
      else
        argument.value = value;
    }
    if (const auto* words = std::get_if<std::string>(&argument.value)) size += words->size();
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

u64 TimelineSink::number(const TraceFormat& format, std::string_view field, Bytes raw) const {
  const TraceField* found = format.find(field);
  return found == nullptr ? 0 : number_of(*found, raw, tracing_->order);
}

std::string TimelineSink::text(const TraceFormat& format, std::string_view field, Bytes raw) const {
  const TraceField* found = format.find(field);
  return found == nullptr ? "" : std::string(text_of(*found, raw, tracing_->order));
}

std::string TimelineSink::syscall_name(const TraceFormat& format, Bytes raw) const {
  constexpr std::string_view kEnter = "sys_enter_";
  if (format.name.starts_with(kEnter)) return format.name.substr(kEnter.size());
  const u32 call = static_cast<u32>(number(format, "id", raw));
  const std::string_view name = abi::syscall_name(data::recorded_arch(reader_.header().features), call);
  return name.empty() ? fmt::format("system call {}", call) : std::string(name);
}

void TimelineSink::name_track(const TimelineTrack& track, std::string_view name) {
  std::string& written = track_names_[track];
  if (written == name) return;
  written = name;
  writer_.name(track, name);
}

void TimelineSink::open(const TimelineTrack& track, Open slice) {
  auto& slices = open_[track];
  if (slices.size() < kMostOpen) slices.push_back(std::move(slice));
}

void TimelineSink::close(const TimelineTrack& track, u64 time, std::string_view category,
                         std::span<const TimelineArgument> more) {
  auto& slices = open_[track];
  if (slices.empty()) return;
  Open slice = std::move(slices.back());
  slices.pop_back();
  slice.arguments.insert(slice.arguments.end(), more.begin(), more.end());
  writer_.slice({.track = track,
                 .name = slice.name,
                 .category = category,
                 .begin = slice.begin,
                 .end = std::max(time, slice.begin),
                 .arguments = slice.arguments});
}

// The idle thread leaves a gap.
void TimelineSink::take_switch(const TraceFormat& format, const abi::Sample& sample) {
  const TimelineTrack track{.kind = Kind::Cpu, .id = sample.cpu};
  name_track(track, fmt::format("CPU {}", sample.cpu));
  const std::array left{TimelineArgument{.name = "prev_state", .value = number(format, "prev_state", sample.raw)}};
  close(track, sample.time, "sched", left);
  const u64 tid = number(format, "next_pid", sample.raw);
  if (tid == 0) return;
  open(track, {.begin = sample.time,
               .name = text(format, "next_comm", sample.raw),
               .arguments = {{.name = "tid", .value = tid},
                             {.name = "priority", .value = number(format, "next_prio", sample.raw)}}});
}

void TimelineSink::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  const Planned& planned = plan(replayed.event);
  ++samples_;
  last_time_ = std::max(last_time_, sample.time);
  const TimelineTrack thread{
      .kind = Kind::Thread, .pid = replayed.context.thread.pid, .id = replayed.context.thread.tid};
  const TimelineTrack interrupts{.kind = Kind::Interrupts, .id = sample.cpu};
  const auto name_thread = [&] { name_track(thread, resolver.comm(replayed.context)); };
  if (planned.format == nullptr) {
    name_thread();
    std::vector<TimelineArgument> arguments;
    const Frame& frame = resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
    if (const auto name = resolver.symbol_name(frame); !name.empty())
      arguments.push_back({.name = "function", .value = std::string(name)});
    writer_.instant({thread, names_[replayed.event], "sample", sample.time, sample.time, arguments});
    return;
  }
  const TraceFormat& format = *planned.format;
  switch (planned.role) {
    case Role::Switch:
      take_switch(format, sample);
      return;
    case Role::SyscallEnter:
      name_thread();
      open_[thread].clear();  // its end was lost
      open(thread, {sample.time, syscall_name(format, sample.raw), arguments_of(format, sample.raw)});
      return;
    case Role::SyscallExit: {
      const std::array result{
          TimelineArgument{.name = "ret", .value = static_cast<i64>(number(format, "ret", sample.raw))}};
      close(thread, sample.time, format.system, result);
      return;
    }
    case Role::InterruptEnter: {
      name_track(interrupts, fmt::format("CPU {} interrupts", sample.cpu));
      std::string name = text(format, "name", sample.raw);
      if (name.empty()) name = fmt::format("softirq {}", number(format, "vec", sample.raw));
      open(interrupts, {sample.time, std::move(name), arguments_of(format, sample.raw)});
      return;
    }
    case Role::InterruptExit:
      close(interrupts, sample.time, format.system);
      return;
    case Role::Frequency:
    case Role::Idle:
      writer_.counter(fmt::format("CPU {} {}", number(format, "cpu_id", sample.raw),
                                  planned.role == Role::Frequency ? "frequency (kHz)" : "idle state"),
                      sample.time,
                      (number(format, "state", sample.raw) + (planned.role == Role::Idle ? 1 : 0)) & 0xffffffff);
      return;
    case Role::Other:
      name_thread();
      writer_.instant(
          {thread, names_[replayed.event], format.system, sample.time, sample.time, arguments_of(format, sample.raw)});
  }
}

Result<> TimelineSink::finish() {
  for (auto& [track, slices] : open_)
    while (!slices.empty()) close(track, last_time_, track.kind == Kind::Cpu ? "sched" : "unfinished");
  writer_.finish();
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace peregrine
