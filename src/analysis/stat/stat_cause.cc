#include "analysis/stat/stat_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "analysis/stat/stat_place.h"
#include "event/spec.h"

namespace peregrine {

namespace {

struct Reason {
  std::string why, hint;
};

bool is_of_core(const EventSpec& spec) {
  const auto type = static_cast<abi::EventType>(spec.attr.type);
  return type == abi::EventType::Hardware || type == abi::EventType::HwCache || type == abi::EventType::Raw;
}

Reason why_refused(const EventSpec& spec, int error, bool has_counters) {
  if (spec.tool == ToolEvent::Machine) return {"not reported by this machine", ""};
  if (spec.tool == ToolEvent::RetireLatency && (has_counters || !is_of_core(spec)))
    return {"retire latencies cannot be sampled here", "requires Intel Granite Rapids or later"};
  if (is_of_core(spec) && !has_counters)
    return {"this machine has no hardware counters: most virtual machines have none", "'perf check' shows more"};
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return {"the processor does not have this event", "'perf list' shows supported events"};
    case EOPNOTSUPP:
      return {"the PMU cannot count this with these modifiers", "try the event without modifiers"};
    case EINVAL:
      return {"rejected by the kernel: unsupported term or modifier, or a group that needs too many counters",
              "drop the braces, or use smaller groups; -vv shows the request"};
    default:
      return {error == 0 ? "its group leader is not supported" : std::strerror(error), ""};
  }
}

Reason why_uncounted(const StatTable& table, const EventSpec& spec, const StatRow& row) {
  if (row.enabled_ns != 0)
    return {"it never got a hardware counter: other users or the NMI watchdog used them all",
            "count fewer events at once, or 'echo 0 > /proc/sys/kernel/nmi_watchdog'"};
  if (!spec.cgroup.empty()) return {"no task of the control group ran during counting", ""};
  if (spec.tool != ToolEvent::None) return {"available only for a command that has exited", ""};
  if (table.aggregation() == StatAggregation::Thread) return {"these threads did not run during counting", ""};
  return {"nothing that it measures ran while it was enabled", ""};
}

}  // namespace

std::vector<StatCause> stat_causes(const StatTable& table, std::span<const StatRow> rows, std::span<const int> errors,
                                   bool has_counters) {
  std::vector<StatCause> causes;
  for (const StatRow& row : rows) {
    if (row.state == StatState::Counted) continue;
    const EventSpec& spec = table.events()[row.event];
    const int error = row.event < errors.size() ? errors[row.event] : 0;
    Reason reason =
        row.state == StatState::NotSupported ? why_refused(spec, error, has_counters) : why_uncounted(table, spec, row);
    auto cause = std::ranges::find(causes, reason.why, &StatCause::why);
    if (cause == causes.end()) {
      causes.push_back({{}, std::move(reason.why), std::move(reason.hint)});
      cause = std::prev(causes.end());
    }
    if (std::ranges::find(cause->events, spec.name) == cause->events.end()) cause->events.push_back(spec.name);
  }
  return causes;
}

// A multiplexed event is sampled: it had n turns on a counter, a share f of the time. Its relative error is
// sqrt((1 - f) / n) times the rate's coefficient of variation between turns, which is assumed to be 1.
std::optional<StatCause> stat_estimate(std::span<const StatRow> rows, const EventList& events, double turn_ns) {
  constexpr double kWhole = 0.999;  // enabling and disabling take a moment
  StatCause cause;
  double least = 1, most = 0, error = 0;
  for (const StatRow& row : rows) {
    const double running = static_cast<double>(row.running_ns);
    if (row.state != StatState::Counted || row.enabled_ns == 0) continue;
    const double share = running / static_cast<double>(row.enabled_ns);
    if (share >= kWhole) continue;
    least = std::min(least, share);
    most = std::max(most, share);
    error = std::max(error, std::sqrt((1 - share) / std::max(running / turn_ns, 1.0)));
    const std::string& name = events[row.event].name;
    if (std::ranges::find(cause.events, name) == cause.events.end()) cause.events.push_back(name);
  }
  if (cause.events.empty()) return std::nullopt;
  const std::string shares = most - least < kWhole / 100 ? fmt::format("{:.0f}", 100 * least)
                                                         : fmt::format("{:.0f} to {:.0f}", 100 * least, 100 * most);
  cause.why = fmt::format("counted for {} % of the time and scaled up; error about {:.{}f} % if the rate is bursty",
                          shares, 100 * error, error < 0.01 ? 1 : 0);
  cause.hint = "--multipass counts each event all the time; -r N shows the variation between runs";
  return cause;
}

}  // namespace peregrine
