#include "session/counting/plan/stat_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/counted.h"
#include "event/spec.h"
#include "event/vendor/processor_model.h"

namespace peregrine {

namespace {

constexpr std::string_view kMeasuring = "requires Intel Granite Rapids or later";

// "a:R, b:R": each name once, as many as fit on a line.
std::string latency_names(const EventList& events, bool without_usual) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const EventSpec& spec : events)
    if (spec.retire_latency && !(without_usual && spec.usual_latency) &&
        std::ranges::find(names, spec.name) == names.end())
      names.push_back(spec.name);
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

bool samples_latencies(const StatRequest& request, const EventList& events, SessionListener& listener) {
  const bool any = std::ranges::any_of(events, &EventSpec::retire_latency);
  if (!any) {
    if (request.latency.is_recorded) listener.warning("--record-tpebs has no effect: no event has the modifier R");
    return false;
  }
  const std::string vendor = processor_model(request.sources.root(), request.sources.cpuid).vendor;
  const bool can = vendor.empty() || vendor == "GenuineIntel";
  if (request.latency.is_recorded && can) return true;
  if (request.latency.is_recorded)
    listener.warning("retire latencies cannot be sampled: this is not an Intel processor", kMeasuring);
  if (const std::string names = latency_names(events, true); !names.empty())
    listener.note(fmt::format("no retire latency is sampled, so these count as 0: {}", names),
                  can ? "--record-tpebs samples them" : "");
  return false;
}

void tell_latencies(const StatSession& session, SessionListener& listener) {
  const auto& account = session.latency_account();
  if (!account) return;
  listener.verbatim(
      fmt::format("[ perf record: Sampled {} ]\n", counted(account->samples, "retire latency", "retire latencies")));
  if (account->lost != 0)
    listener.warning(
        counted(account->lost, "sample of retire latencies was lost", "samples of retire latencies were lost"));
  if (account->samples == 0)
    listener.warning(
        fmt::format("no retire latency was sampled, so these count as 0: {}", latency_names(session.events(), false)));
  if (account->samples != 0 && account->all_zero)
    listener.warning(fmt::format("all sampled retire latencies are 0: this processor does not measure them ({})",
                                 latency_names(session.events(), false)),
                     kMeasuring);
}

}  // namespace peregrine
