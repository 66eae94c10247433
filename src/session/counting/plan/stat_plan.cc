#include "session/counting/plan/stat_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <utility>
#include <vector>

#include "analysis/stat/stat_merge.h"
#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "event/config/cgroup_choice.h"
#include "event/config/stat_config.h"
#include "event/kind/machine_number.h"
#include "event/spec.h"
#include "event/tracepoint/tracing_data.h"
#include "event/tracepoint/value_field.h"
#include "output/text/format/printable.h"
#include "pipeline/counting/stat_writer.h"
#include "session/counting/plan/stat_latency.h"
#include "session/counting/plan/stat_metrics.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Where sessions find each other's counters (--bpf-attr-map).
constexpr const char* kSharedCounters = "/sys/fs/bpf/peregrine_counters";

// Without a target or a command, the target is the whole machine.
Result<Target> choose_target(StatRequest& request, SessionListener& listener) {
  TargetRequest& target = request.target;
  for (const std::string& dropped : drop_overridden(target)) listener.verbatim(fmt::format("{}\n", dropped));
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  if (!has_threads && request.runs.command.empty() && target.cpus.empty()) target.system_wide = true;
  if (!request.bpf.programs.empty()) target.system_wide = !has_threads && target.cpus.empty();
  const Root& root = request.sources.root();
  auto made = make_target(root, target);
  if (!made) return made;
  if (request.rows.aggregation == StatAggregation::Thread && made->kind == TargetKind::Cpus) {
    made->kind = TargetKind::Threads;
    made->threads.clear();
    for (const Pid process : all_processes(root))
      for (const Pid thread : threads_of(root, process)) made->threads.push_back(thread);
  }
  return made;
}

std::vector<StatPlace> chosen_places(const StatRequest& request, const Target& target) {
  const Root& root = request.sources.root();
  if (request.rows.aggregation == StatAggregation::Global) return {StatPlace{}};
  if (request.rows.aggregation != StatAggregation::Thread)
    return cpu_places(request.rows.aggregation, target.cpus, cpu_arrangement(root), request.rows.cache_level);
  std::vector<StatPlace> places;
  for (const Pid thread : target.threads) {
    const std::string comm = printable(comm_of(root, thread).value_or(""));
    const std::string label = fmt::format("{}-{}", comm, thread);
    places.push_back({.label = label, .name = label, .cpus = {}, .thread = thread, .comm = comm});
  }
  return places;
}

// linux-perf renumbers the modes from time to time; the version in the file marks them as 6.1's numbers.
Result<StatFileOptions> recording_of(StatRequest& request, const EventList& events) {
  StatFileOptions file;
  if (!request.recording.path.empty()) file.path = request.recording.path;
  file.aggregation = recorded_mode(request.rows.aggregation);
  file.interval_ms = request.timing.interval_ms;
  file.scale = request.opening.scale;
  file.host.version = "6.1.0";
  file.host.command_line = request.recording.argv;
  if (std::ranges::any_of(events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(request.sources, events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    file.tracing_data = encode_tracing_data(*tracing);
  }
  return file;
}

// Events with the term percore are counted for whole cores, even if all others are shown by CPU.
void add_cores(const StatRequest& request, const EventList& events, const CpuList& cpus, StatLayout& layout) {
  const auto of_core = [](const EventSpec& spec) { return spec.terms.percore.value_or(false); };
  if (layout.aggregation != StatAggregation::Cpu || std::ranges::none_of(events, of_core)) return;
  layout.first_core = layout.places.size();
  layout.core_at_each_cpu = request.rows.core_at_each_cpu;
  for (StatPlace& core : cpu_places(StatAggregation::Core, cpus, cpu_arrangement(request.sources.root())))
    layout.places.push_back(std::move(core));
}

void read_machine_numbers(StatRequest& request, StatPlan& plan) {
  const CountedCpus counted{.system_wide = plan.target.kind == TargetKind::Cpus,
                            .chosen = request.target.cpus.empty() ? CpuList{} : plan.target.cpus};
  for (EventSpec& spec : plan.events) {
    if (spec.tool != ToolEvent::Machine) continue;
    const auto number = machine_number(request.sources, counted, spec.sensor);
    if (number) spec.number = static_cast<u64>(*number);
  }
}

// The parts of the plan that are copied from the request.
StatPlan requested_plan(StatRequest& request, Target target) {
  StatPlan plan;
  plan.target = std::move(target);
  plan.command = request.runs.command;
  plan.limits = perf_limits(request.sources.root());
  plan.layout.aggregation = request.rows.aggregation;
  plan.layout.places = chosen_places(request, plan.target);
  plan.layout.scale = request.opening.scale;
  plan.layout.latency = request.latency.mode;
  plan.delay_ms = request.timing.delay_ms;
  plan.interval_ms = request.timing.interval_ms;
  plan.interval_count = request.timing.interval_count;
  plan.timeout_ms = request.timing.timeout_ms;
  plan.control = std::move(request.control);
  plan.before = request.runs.before;
  plan.after = request.runs.after;
  plan.sync = request.runs.sync;
  plan.verbose = request.verbose;
  plan.bpf = request.bpf;
  if (plan.bpf.registry.empty()) plan.bpf.registry = kSharedCounters;
  plan.events = request.events;
  plan.value_fields = request.values.fields;
  plan.value_bounds = request.values.bounds;
  return plan;
}

// Adds the events of metrics, of -d, and, if no events were chosen, the default events.
Result<> add_chosen_events(StatRequest& request, SessionListener& listener, StatPlan& plan) {
  const bool by_default = plan.events.empty() && request.metric.words.empty() && request.values.fields.empty();
  const auto add_counts = [&] {
    if (request.values.fields.empty() || !plan.events.empty() || request.detail > 0)
      add_stat_events(request.sources, plan.target.kind == TargetKind::Cpus, request.detail, plan.events);
  };
  if (by_default) add_counts();
  auto metrics = add_metric_events(request, listener, plan.target, by_default, plan.events);
  if (!metrics) return std::unexpected(std::move(metrics.error()));
  plan.metrics = std::move(*metrics);
  if (!by_default) add_counts();
  return {};
}

Result<> configure_events(const StatRequest& request, SessionListener& listener, StatPlan& plan) {
  StatOptions options;
  options.workload = plan.target.kind == TargetKind::Workload;
  options.initial_delay_ms = request.timing.delay_ms;
  options.inherit = request.opening.inherit;
  options.all_user = request.opening.all_user;
  options.all_kernel = request.opening.all_kernel;
  options.group = request.opening.group;
  PEREGRINE_TRY(configure_for_stat(options, plan.events));
  plan.sample_latencies = samples_latencies(request, plan.events, listener);
  for (ValueField& field : plan.value_fields) {
    EventList alone{field.event};
    PEREGRINE_TRY(configure_for_stat(options, alone));
    field.event = std::move(alone.front());
  }
  return {};
}

}  // namespace

Result<StatPlan> make_stat_plan(StatRequest& request, SessionListener& listener) {
  auto target = choose_target(request, listener);
  if (!target) return std::unexpected(std::move(target.error()));
  if (!request.null_run) PEREGRINE_TRY(add_preset_events(request, listener));
  StatPlan plan = requested_plan(request, std::move(*target));
  if (!request.null_run) PEREGRINE_TRY(add_chosen_events(request, listener, plan));
  plan.metrics.repeat_every(plan.events.size());
  if (!request.rows.merge) name_by_pmu(plan.events);
  if (request.rows.merge_cores) name_without_core(plan.events);
  if (!request.cgroup.each.empty())
    PEREGRINE_TRY(expand_checked_cgroups(request.sources.root(), request.cgroup.each, plan.events));
  PEREGRINE_TRY(configure_events(request, listener, plan));
  read_machine_numbers(request, plan);
  add_cores(request, plan.events, plan.target.cpus, plan.layout);
  if (request.recording.wanted) {
    auto recording = recording_of(request, plan.events);
    if (!recording) return std::unexpected(std::move(recording.error()));
    plan.recording = std::move(*recording);
  }
  return plan;
}

std::string stat_subject(const StatRequest& request) {
  const TargetRequest& target = request.target;
  if (!target.pids.empty()) return fmt::format("process id '{}'", target.pids);
  if (!target.tids.empty()) return fmt::format("thread id '{}'", target.tids);
  if (!target.cpus.empty()) return fmt::format("'CPU(s) {}'", target.cpus);
  if (target.system_wide) return "'system wide'";
  return fmt::format("'{}'", fmt::join(request.runs.command, " "));
}

}  // namespace peregrine
