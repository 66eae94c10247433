#include "output/text/trace/tracer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/counted.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr std::size_t kNamed = 3;  // events and functions before "and N more"

constexpr std::pair<std::string_view, std::string_view> kTracers[] = {
    {"nop", "no tracer: only events (-e) and markers"},
    {"function", "each call of a kernel function (-T FUNCTION)"},
    {"function_graph", "calls of kernel functions as a tree, with durations (-G FUNCTION)"},
    {"blk", "block requests of all disks, as blktrace shows them"},
    {"irqsoff", "the longest time with interrupts off"},
    {"preemptoff", "the longest time with preemption off"},
    {"preemptirqsoff", "the longest time with interrupts or preemption off"},
    {"wakeup", "the longest time from the wake-up of a task to its run"},
    {"wakeup_rt", "the same for real-time tasks"},
    {"wakeup_dl", "the same for deadline tasks"},
    {"hwlat", "gaps caused by the hardware or firmware"},
    {"osnoise", "interference by the operating system"},
    {"timerlat", "latency of a timer's thread"},
    {"mmiotrace", "accesses to memory-mapped I/O"},
};

void row(std::string_view name, std::string_view value, Sink& out) {
  out.append(fmt::format("  {:<10} {}\n", name, printable(value)));
}

std::string listed(const std::vector<std::string>& names, std::string_view none) {
  if (names.empty()) return std::string(none);
  const std::size_t shown = std::min(names.size(), kNamed);
  const std::string more =
      names.size() > shown ? fmt::format(" and {} more", grouped_number(names.size() - shown)) : std::string();
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "), more);
}

// A row for each text, with the events that have it.
void print_settings(std::string_view name, std::span<const EventSetting> settings, Sink& out) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> events;
  for (const EventSetting& setting : settings) {
    const auto same = [&](const auto& one) { return one.first == setting.text; };
    auto found = std::ranges::find_if(events, same);
    if (found == events.end()) found = events.insert(found, {setting.text, {}});
    found->second.push_back(setting.event);
  }
  for (const auto& [text, names] : events) row(name, fmt::format("{} ({})", text, listed(names, "")), out);
}

void print_state(const TracerState& state, std::string_view mount, Sink& out) {
  const std::string_view running = state.running ? "on" : "off";
  if (state.instance.empty())
    out.append(fmt::format("\n{}: {}\n", mount, running));
  else
    out.append(fmt::format("\ninstance {}: {}\n", printable(state.instance), running));
  row("tracer", state.tracer, out);
  row("clock", state.clock, out);
  row("buffer",
      fmt::format("{} kB per CPU, {}{}", grouped_number(state.buffer_kb), counted(state.entries, "entry", "entries"),
                  state.overrun == 0 ? "" : fmt::format(", {} overwritten", grouped_number(state.overrun))),
      out);
  row("events", listed(state.events, "none"), out);
  print_settings("filter", state.filters, out);
  print_settings("trigger", state.triggers, out);
  row("threads", listed(state.threads, "all"), out);
  row("CPUs", "mask " + state.cpu_mask, out);
  if (!state.instance.empty() && state.tracer != "function") return;
  row("functions", state.functions_denied.empty() ? listed(state.functions, "all") : state.functions_denied, out);
}

}  // namespace

void print_tracer_status(const TracerStatus& status, Sink& out) {
  out.append(fmt::format("tracers: {}\n", fmt::join(status.tracers, ", ")));
  for (const TracerState& state : status.states) print_state(state, status.mount, out);
  out.append(status.readers.empty() ? "\nNo process reads a trace.\n" : "\nopened by\n");
  for (const TracerReader& reader : status.readers)
    out.append(fmt::format("  {} ({}): {}\n", printable(reader.comm), reader.pid, printable(reader.file)));
}

void print_tracers(std::span<const std::string> tracers, Sink& out) {
  for (const std::string& tracer : tracers) {
    const auto* const known =
        std::ranges::find(kTracers, tracer, &std::pair<std::string_view, std::string_view>::first);
    if (known == std::end(kTracers))
      out.append(tracer).append('\n');
    else
      out.append(fmt::format("{:<15} {}\n", tracer, known->second));
  }
}

}  // namespace peregrine
