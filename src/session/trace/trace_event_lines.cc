#include "session/trace/trace_event_lines.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "analysis/field/traced_value.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/tracing_data.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_event.h"
#include "session/recording/device_names.h"
#include "sys/hardware/block_device.h"
#include "sys/process/process.h"

namespace peregrine {

namespace {
constexpr unsigned kMostLineFrames = 127;

std::string_view fault_name(bool major) { return major ? "majfault" : "minfault"; }
}  // namespace

void TraceEventLines::add(std::string_view name, const abi::EventAttr& attr, const TracingData* tracing,
                          bool own_kernel) {
  const bool is_tracepoint = attr.type == static_cast<u32>(abi::EventType::Tracepoint) && tracing != nullptr;
  const TraceFormat* const format = is_tracepoint ? tracing->find(static_cast<u32>(attr.config)) : nullptr;
  const bool names_devices = own_kernel && format != nullptr && has_device(*format);
  if (names_devices && !devices_) devices_ = device_names(read_block_devices(request_.sources.root()));
  TracedEvent event(printable(name), attr, tracing, request_,
                    own_kernel ? request_.sources.enumerations.get() : nullptr, names_devices ? &*devices_ : nullptr);
  const Kind kind = kind_of(event.name(), attr);
  events_.push_back({kind, std::move(event)});
}

TraceEventLines::Kind TraceEventLines::kind_of(const std::string& name, const abi::EventAttr& attr) const {
  if (attr.type == static_cast<u32>(abi::EventType::Software)) {
    if (attr.config == static_cast<u64>(abi::SoftwareEvent::MinorFaults)) return Kind::MinorFault;
    if (attr.config == static_cast<u64>(abi::SoftwareEvent::MajorFaults)) return Kind::MajorFault;
  }
  if (name == "raw_syscalls:sys_enter") return Kind::Enter;
  if (name == "raw_syscalls:sys_exit") return Kind::Leave;
  return request_.sched && name == "sched:sched_stat_runtime" ? Kind::Runtime : Kind::Other;
}

Result<> TraceEventLines::use_switches() {
  const auto place = [&](const std::string& name) -> Result<std::optional<u32>> {
    if (name.empty()) return std::optional<u32>();
    const auto found = std::ranges::find(events_, name, [](const Known& known) { return known.event.name(); });
    if (found == events_.end()) return fail(ErrorKind::NotFound, "no event \"{}\" found", name);
    return std::optional(static_cast<u32>(found - events_.begin()));
  };
  auto on = place(request_.switch_on), off = place(request_.switch_off);
  if (!on) return std::unexpected(std::move(on.error()));
  if (!off) return std::unexpected(std::move(off.error()));
  switch_ = EventSwitch(*on, *off, request_.show_switches);
  return {};
}

bool TraceEventLines::discards(std::optional<std::size_t> event) {
  return switch_.any() && switch_.discards(static_cast<u32>(event.value_or(events_.size())));
}

bool TraceEventLines::is_deep_enough(std::span<const u64> callchain, const Place& place) {
  if (!request_.min_stack || callchain.empty()) return true;
  frames_.clear();
  place.resolver.chain(place.context, callchain, *request_.min_stack, frames_);
  return frames_.size() >= *request_.min_stack;
}

// A summary alone includes lines of events, but not of page faults, as in linux-perf.
bool TraceEventLines::take(std::size_t event) {
  return !(request_.summary && is_fault(event)) && events_[event].event.take();
}

bool TraceEventLines::put_line(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place,
                               bool durations) {
  const Known& known = events_[event];
  const bool fault = is_fault(event);
  return printer_.event(sample.time, fault ? std::optional<u64>(0) : std::nullopt, fault || durations,
                        static_cast<i32>(sample.tid), [&](ScriptText& text) {
                          if (!fault) return known.event.put(text, printer_, sample, order);
                          text.room(16);
                          text.put(fault_name(known.kind == Kind::MajorFault));
                          text.put(' ');
                          put_fault(text, place.resolver, place.context, sample);
                          text.room(1);
                          text.put('\n');
                        });
}

bool TraceEventLines::report(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place,
                             bool durations) {
  const Known& known = events_[event];
  const auto arguments = [&](ScriptText& text) {
    if (!is_fault(event)) return known.event.put_arguments(text, printer_, sample, order);
    put_fault(text, place.resolver, place.context, sample);
  };
  const std::string_view name = is_fault(event) ? fault_name(known.kind == Kind::MajorFault) : known.event.name();
  return printer_.event(sample.time,
                        EventValues::Event{.name = name,
                                           .format = known.event.format(),
                                           .sample = sample,
                                           .order = order,
                                           .words = [&](std::string_view field) { return known.event.words(field); },
                                           .arguments = arguments},
                        [&] { return put_line(event, sample, order, place, durations); });
}

bool TraceEventLines::put(std::size_t event, const abi::Sample& sample, ByteOrder order, const Place& place,
                          bool durations) {
  const u64 before = printer_.shown();
  const bool goes_on = printer_.has_report() ? report(event, sample, order, place, durations)
                                             : put_line(event, sample, order, place, durations);
  if (printer_.shown() != before) put_chain(sample.callchain, place);
  return goes_on;
}

void TraceEventLines::put_chain(std::span<const u64> callchain, const Place& place) {
  if (callchain.empty() || request_.report.has_table()) return;
  frames_.clear();
  ips_.clear();
  place.resolver.chain(place.context, callchain, request_.max_stack.value_or(kMostLineFrames), frames_, &ips_);
  printer_.text([&](ScriptText& text) { peregrine::put_chain(text, place.resolver, frames_, ips_); });
}

void TraceEventLines::add_runtime(std::size_t event, const abi::Sample& sample, ByteOrder order) {
  const TraceFormat* format = events_[event].event.format();
  const TraceField* pid = format == nullptr ? nullptr : format->find("pid");
  const TraceField* runtime = format == nullptr ? nullptr : format->find("runtime");
  if (pid == nullptr || runtime == nullptr) return;
  const auto number = [&](const TraceField& field) -> u64 {
    ByteReader raw(sample.raw, order);
    raw.take(field.offset);
    return field.size == 8 ? raw.get64() : raw.get32();
  };
  printer_.summary().add_runtime(static_cast<Pid>(number(*pid)), number(*runtime));
}

}  // namespace peregrine
