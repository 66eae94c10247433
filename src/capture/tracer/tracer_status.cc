#include "capture/tracer/tracer_status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/bracketed.h"
#include "base/text/trim.h"
#include "base/text/words.h"
#include "sys/root.h"

namespace peregrine {
namespace {

std::string value_of(const TraceFolder& folder, std::string_view file) {
  return std::string(trim(folder.read(file).value_or("")));
}

u64 number_in(std::string_view text) {
  return parse_number<u64>(trim(text.substr(0, text.find_first_of(" \n")))).value_or(0);
}

// The number after "entries: " in a CPU's stats.
u64 named_number(std::string_view stats, std::string_view name) {
  for (std::size_t at = 0; at < stats.size(); at = std::min(stats.find('\n', at), stats.size() - 1) + 1)
    if (stats.substr(at).starts_with(name)) return number_in(stats.substr(at + name.size()));
  return 0;
}

void read_filters(const TraceFolder& folder, TracerState& state) {
  for (const std::string& event : state.events) {
    std::string path = event;
    std::ranges::replace(path, ':', '/');
    const std::string filter = value_of(folder, fmt::format("events/{}/filter", path));
    if (!filter.empty() && filter != "none") state.filters.push_back({event, filter});
  }
}

std::vector<TracerReader> readers_of(const TraceFolder& top) {
  std::vector<TracerReader> readers;
  const Root& root = top.root();
  for (const std::string& name : root.names("/proc")) {
    const auto pid = parse_number<Pid>(name);
    if (!pid || *pid == ::getpid()) continue;
    for (const std::string& fd : root.names(fmt::format("/proc/{}/fd", *pid))) {
      const auto target = root.link(fmt::format("/proc/{}/fd/{}", *pid, fd));
      if (!target || !target->starts_with(top.path() + "/")) continue;
      readers.push_back({*pid, root.line(fmt::format("/proc/{}/comm", *pid)).value_or("?"), *target});
    }
  }
  return readers;
}

}  // namespace

std::vector<std::string> read_tracers(const TraceFolder& folder) {
  return split_words(value_of(folder, "available_tracers"), ' ');
}

BufferFill read_buffer_fill(const TraceFolder& folder) {
  BufferFill fill;
  for (const std::string& cpu : folder.root().names(folder.path() + "/per_cpu")) {
    const std::string stats = folder.read(fmt::format("per_cpu/{}/stats", cpu)).value_or("");
    fill.entries += named_number(stats, "entries: ");
    fill.overrun += named_number(stats, "overrun: ");
  }
  return fill;
}

std::vector<EventSetting> read_triggers(const TraceFolder& folder) {
  std::vector<EventSetting> triggers;
  const std::string events = folder.path() + "/events";
  for (const std::string& system : folder.root().sorted_names(events)) {
    for (const std::string& event : folder.root().sorted_names(events + "/" + system)) {
      const std::string path = fmt::format("events/{}/{}/trigger", system, event);
      if (!folder.has(path)) continue;
      for (const std::string& line : split_words(value_of(folder, path), '\n'))
        if (!line.empty() && !line.starts_with('#')) triggers.push_back({system + ":" + event, line});
    }
  }
  return triggers;
}

TracerState read_tracer_state(const TraceFolder& folder, std::string instance) {
  TracerState state;
  state.instance = std::move(instance);
  state.tracer = value_of(folder, "current_tracer");
  state.clock = bracketed(value_of(folder, "trace_clock"));
  state.cpu_mask = value_of(folder, "tracing_cpumask");
  state.running = value_of(folder, "tracing_on") == "1";
  state.buffer_kb = number_in(value_of(folder, "buffer_size_kb"));
  const BufferFill fill = read_buffer_fill(folder);
  state.entries = fill.entries;
  state.overrun = fill.overrun;
  state.events = listed_items(folder.read("set_event").value_or(""));
  state.threads = listed_items(folder.read("set_event_pid").value_or(""));
  const auto functions = folder.read("set_ftrace_filter");
  if (functions)
    state.functions = listed_items(*functions);
  else
    state.functions_denied = functions.error().message;
  read_filters(folder, state);
  state.triggers = read_triggers(folder);
  return state;
}

TracerStatus read_tracer_status(const TraceFolder& top) {
  TracerStatus status{.mount = top.path(), .tracers = {}, .states = {}, .readers = readers_of(top)};
  status.tracers = read_tracers(top);
  status.states.push_back(read_tracer_state(top, {}));
  for (const std::string& name : top.root().sorted_names(top.path() + "/instances"))
    status.states.push_back(read_tracer_state(TraceFolder(top.root(), top.instance_path(name)), name));
  return status;
}

}  // namespace peregrine
