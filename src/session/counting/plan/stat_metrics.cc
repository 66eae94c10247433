#include "session/counting/plan/stat_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/expression.h"
#include "analysis/metric/machine_facts.h"
#include "analysis/metric/metric_catalogue.h"
#include "analysis/metric/metric_definition.h"
#include "analysis/stat/stat_place.h"
#include "base/result.h"
#include "event/kind/machine_number.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "sys/hardware/cpu.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

bool cpu_has(StatRequest& request, std::string_view event) {
  return std::ranges::any_of(request.sources.core_pmus(), [&](const Pmu* cpu) { return cpu->event(event) != nullptr; });
}

Result<> add_group(StatRequest& request, const std::string& words) {
  return parse_events(words, request.sources, request.events);
}

template <std::size_t kSize>
std::string group_of_known(StatRequest& request, const std::array<const char*, kSize>& events) {
  std::string group;
  for (const char* event : events)
    if (cpu_has(request, event)) group += (group.empty() ? "{" : ",") + std::string(event);
  return group.empty() ? group : group + "}";
}

Result<> check_level(unsigned level, unsigned most) {
  if (level <= most) return {};
  return fail(ErrorKind::Usage, "Invalid top-down metrics level. The max level is {}.", most);
}

// Slots in the metrics register can be counted for any target.
Result<> add_metered_slots(StatRequest& request) {
  constexpr std::array kFirst{"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"};
  constexpr std::array kBoth{"slots",
                             "topdown-retiring",
                             "topdown-bad-spec",
                             "topdown-fe-bound",
                             "topdown-be-bound",
                             "topdown-heavy-ops",
                             "topdown-br-mispredict",
                             "topdown-fetch-lat",
                             "topdown-mem-bound"};
  const unsigned most = cpu_has(request, "topdown-heavy-ops") ? 2 : 1;
  PEREGRINE_TRY(check_level(request.metric.level, most));
  const bool both = most == 2 && request.metric.level != 1;
  return add_group(request, both ? group_of_known(request, kBoth) : group_of_known(request, kFirst));
}

// Slots counted by single counters are shared by the two threads of a core, so they are only meaningful for whole cores
// of the whole machine.
Result<> add_counted_slots(StatRequest& request, SessionListener& listener) {
  constexpr std::array kEvents{"topdown-total-slots", "topdown-slots-retired", "topdown-recovery-bubbles",
                               "topdown-fetch-bubbles", "topdown-slots-issued"};
  PEREGRINE_TRY(check_level(request.metric.level, 1));
  if (request.rows.aggregation != StatAggregation::Global && request.rows.aggregation != StatAggregation::Core)
    return fail(ErrorKind::Usage, "top down event configuration requires --per-core mode");
  const TargetRequest& target = request.target;
  if (!target.system_wide && target.cpus.empty() &&
      !(request.runs.command.empty() && target.pids.empty() && target.tids.empty()))
    return fail(ErrorKind::Usage, "top down event configuration requires system-wide mode (-a)");
  request.rows.aggregation = StatAggregation::Core;
  if (request.sources.root().number("/proc/sys/kernel/nmi_watchdog").value_or(0) != 0)
    listener.warning(
        "the NMI watchdog uses a counter, so top-down shares are multiplexed; "
        "echo 0 > /proc/sys/kernel/nmi_watchdog frees it");
  return add_group(request, group_of_known(request, kEvents));
}

Result<> add_topdown(StatRequest& request, SessionListener& listener) {
  StatMetricRequest& metric = request.metric;
  if (!metric.only) metric.only = true;
  if (cpu_has(request, "slots") && cpu_has(request, "topdown-retiring")) return add_metered_slots(request);
  if (cpu_has(request, "topdown-total-slots")) return add_counted_slots(request, listener);
  // The user may have a metrics file for this processor model.
  const std::string group = fmt::format("TopdownL{}", std::max(metric.level, 1u));
  const MetricCatalogue catalogue = request.metric.load();
  for (const MetricDefinition* definition : catalogue.matching(group))
    if (definition->origin != "built-in") {
      metric.words += (metric.words.empty() ? "" : ",") + group;
      return {};
    }
  return std::unexpected(
      Error{ErrorKind::Unsupported, "System does not support topdown",
            "the cpu PMU has neither slots nor topdown-total-slots, and there is no metric group " + group});
}

Result<> add_transactions(StatRequest& request) {
  if (!cpu_has(request, "cycles-t") || !cpu_has(request, "tx-start"))
    return std::unexpected(Error{ErrorKind::Unsupported, "Cannot set up transaction events",
                                 "the cpu PMU lacks cycles-t and tx-start: no transactional memory"});
  const bool all = cpu_has(request, "cycles-ct") && cpu_has(request, "el-start");
  return add_group(request,
                   all ? "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,cpu/el-start/,cpu/cycles-ct/}"
                       : "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}");
}

Result<> add_smi_cost(StatRequest& request) {
  const Pmu* msr = request.sources.pmu("msr");
  if (msr == nullptr || msr->event("aperf") == nullptr || msr->event("smi") == nullptr)
    return fail(ErrorKind::Unsupported,
                "--smi-cost requires the events msr/aperf/ and msr/smi/, which this machine lacks");
  if (!request.metric.only) request.metric.only = true;
  return add_group(request, "{msr/aperf/,msr/smi/,cycles}");
}

}  // namespace

Result<> add_preset_events(StatRequest& request, SessionListener& listener) {
  if (request.metric.transaction) PEREGRINE_TRY(add_transactions(request));
  if (request.metric.smi_cost) PEREGRINE_TRY(add_smi_cost(request));
  if (request.metric.topdown) PEREGRINE_TRY(add_topdown(request, listener));
  return {};
}

Result<MetricSet> add_metric_events(StatRequest& request, SessionListener& listener, const Target& target,
                                    bool by_default, EventList& events) {
  constexpr std::string_view kByDefault = "Default";  // the group, as in linux-perf's files
  if (!by_default && request.metric.words.empty()) return MetricSet();
  const MetricCatalogue catalogue = request.metric.load();
  if (by_default && catalogue.matching(kByDefault).empty()) return MetricSet();
  const CountedCpus counted{.system_wide = target.kind == TargetKind::Cpus,
                            .chosen = parse_cpu_list(request.target.cpus).value_or(CpuList{})};
  const MetricFacts facts = machine_facts(request.sources, counted);
  std::vector<std::string> warnings;
  auto set = plan_metrics(by_default ? kByDefault : request.metric.words, catalogue, request.metric.options, facts,
                          request.sources, events, warnings);
  for (const std::string& warning : warnings) listener.warning(warning);
  if (set || !by_default) return set;
  listener.warning(set.error().message);  // not requested by the user
  return MetricSet();
}

}  // namespace peregrine
