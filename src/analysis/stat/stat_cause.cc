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
  if (spec.tool == ToolEvent::Machine) return {"this machine does not say", ""};
  if (spec.tool == ToolEvent::RetireLatency && (has_counters || !is_of_core(spec)))
    return {"retire latencies cannot be sampled here", "Intel processors measure them from Granite Rapids on"};
  if (is_of_core(spec) && !has_counters)
    return {"this machine has no hardware counters: most virtual machines are given none",
            "the command 'check' shows more"};
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
      return {"the processor does not have this event", "the command 'list' shows those it has"};
    case EOPNOTSUPP:
      return {"the PMU cannot count this with these modifiers", "try the event without modifiers"};
    case EINVAL:
      return {
          "the kernel refuses it: a term or modifier that the PMU does not have, or a group that needs more counters "
          "than there are",
          "count the events of the group without braces, or in smaller groups; -vv shows what is asked"};
    default:
      return {error == 0 ? "the leader of its group is not supported" : std::strerror(error), ""};
  }
}

Reason why_uncounted(const StatTable& table, const EventSpec& spec, const StatRow& row) {
  if (row.enabled_ns != 0)
    return {"it never got a hardware counter: others, or the NMI watchdog, held them all the time",
            "count fewer events at once, or 'echo 0 > /proc/sys/kernel/nmi_watchdog'"};
  if (!spec.cgroup.empty()) return {"no task of the control group ran while it was counted", ""};
  if (spec.tool != ToolEvent::None) return {"only a command that was run and has ended has such times", ""};
  if (table.aggregation() == StatAggregation::Thread) return {"these threads did not run while they were counted", ""};
  return {"nothing that it observes ran while it was enabled", ""};
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
  cause.why = fmt::format(
      "counted for {} % of the time and scaled up; about {:.{}f} % off if the rate changes from turn to turn as much "
      "as "
      "it is high",
      shares, 100 * error, error < 0.01 ? 1 : 0);
  cause.hint = "'--multipass' counts each all the time, -r N shows how far runs differ";
  return cause;
}

}  // namespace peregrine
