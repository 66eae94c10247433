#include "capture/perf_event/group_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "abi/attr.h"
#include "base/fd.h"
#include "capture/perf_event/event_matrix.h"
#include "event/config/event_pass.h"

namespace peregrine {

namespace {

bool needs_counter(const EventSpec& spec) {
  const auto type = static_cast<abi::EventType>(spec.attr.type);
  return spec.tool == ToolEvent::None && type != abi::EventType::Software && type != abi::EventType::Tracepoint &&
         type != abi::EventType::Breakpoint;
}

// The pool of counters that an event uses: the cores' ("") or one uncore PMU's.
std::string counters_of(const EventSpec& spec) { return spec.system_wide ? spec.pmu : std::string(); }

bool fits_into(const EventList& events, const std::string& counters) {
  std::vector<Fd> opened;
  for (const EventSpec& spec : events) {
    if (!needs_counter(spec) || counters_of(spec) != counters) continue;
    abi::EventAttr attr = spec.attr;
    attr.flags &= ~(abi::attr_flag::Inherit | abi::attr_flag::EnableOnExec | abi::attr_flag::Pinned);
    attr.set(abi::attr_flag::Disabled, opened.empty());
    attr.read_format = 0;
    const bool on_cpu = spec.system_wide && spec.own_cpus && !spec.own_cpus->empty();
    const int fd = open_event(attr, on_cpu ? -1 : 0, on_cpu ? spec.own_cpus->front() : -1,
                              opened.empty() ? -1 : opened.front().get());
    if (fd >= 0)
      opened.emplace_back(fd);
    else if (!opened.empty() && (fd == -EINVAL || fd == -ENOSPC))
      return false;
  }
  return true;
}

}  // namespace

bool fits_together(const EventList& events) {
  std::vector<std::string> kinds;
  for (const EventSpec& spec : events)
    if (needs_counter(spec) && std::ranges::find(kinds, counters_of(spec)) == kinds.end())
      kinds.push_back(counters_of(spec));
  return std::ranges::all_of(kinds, [&](const std::string& kind) { return fits_into(events, kind); });
}

std::string group_advice(const EventList& events, std::size_t leader,
                         const std::function<bool(const EventList&)>& fits) {
  const std::vector<EventPass> parts = split_group(events, leader, fits);
  if (parts.size() < 2) return {};
  std::string whole, cut;
  for (const EventPass& part : parts) {
    std::string names;
    for (const std::size_t event : part) names += (names.empty() ? "" : ",") + events[event].name;
    whole += (whole.empty() ? "" : ",") + names;
    cut += (cut.empty() ? "" : ",") + (part.size() > 1 ? fmt::format("{{{}}}", names) : names);
  }
  return fmt::format(
      "group {{{0}}} needs more counters than the PMU has and is never counted; use -e '{1}', or -e '{{{0}}}:W' to "
      "split it",
      whole, cut);
}

}  // namespace peregrine
