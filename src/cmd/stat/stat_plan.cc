#include "cmd/stat/stat_plan.h"

#include <unistd.h>

#include <algorithm>

#include "analysis/stat/stat_merge.h"
#include "cmd/events/cgroup_choice.h"
#include "cmd/events/unmeasured_program.h"
#include "cmd/stat/stat_latency.h"
#include "event/config/stat_config.h"
#include "event/kind/machine_number.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine::cmd {

namespace {

// Where sessions find each other's counters (--bpf-attr-map).
constexpr const char* kSharedCounters = "/sys/fs/bpf/peregrine_counters";

// Whom to observe; without any choice and without a command: the whole machine.
Result<Target> choose_target(StatRequest& request, const Invocation& call) {
  TargetRequest& target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  if (has_threads && !target.cpus.empty()) call.messages.verbatim("PID/TID switch overriding CPU\n");
  if (has_threads && target.system_wide) call.messages.verbatim("PID/TID switch overriding SYSTEM\n");
  if (has_threads) {
    target.cpus.clear();
    target.system_wide = false;
  } else if (call.words.empty() && target.cpus.empty()) {
    target.system_wide = true;
  }
  if (!request.bpf.programs.empty()) target.system_wide = !has_threads && target.cpus.empty();
  const Root& root = request.sources.root();
  auto made = make_target(root, target);
  if (!made) return made;
  if (request.aggregation == StatAggregation::Thread && made->kind == TargetKind::Cpus) {
    made->kind = TargetKind::Threads;
    made->threads.clear();
    for (const Pid process : all_processes(root))
      for (const Pid thread : threads_of(root, process)) made->threads.push_back(thread);
  }
  return made;
}

std::vector<StatPlace> choose_places(const StatRequest& request, const Target& target) {
  const Root& root = request.sources.root();
  if (request.aggregation == StatAggregation::Global) return {StatPlace{}};
  if (request.aggregation != StatAggregation::Thread)
    return cpu_places(request.aggregation, target.cpus, cpu_arrangement(root), request.cache_level);
  std::vector<StatPlace> places;
  for (const Pid thread : target.threads) {
    const std::string comm = comm_of(root, thread).value_or("");
    const std::string label = fmt::format("{}-{}", comm, thread);
    places.push_back({.label = label, .name = label, .cpus = {}, .thread = thread, .comm = comm});
  }
  return places;
}

// linux-perf numbers the modes anew from time to time: the version in the file says that they are those of 6.1.
Result<StatFileOptions> recording_of(StatRequest& request, const Invocation& call, const EventList& events) {
  StatFileOptions file;
  if (!request.output.empty()) file.path = request.output;
  file.aggregation = recorded_mode(request.aggregation);
  file.interval_ms = request.interval_ms;
  file.scale = request.scale;
  file.host.version = "6.1.0";
  file.host.command_line = call.argv;
  if (std::ranges::any_of(events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(request.sources, events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    file.tracing_data = encode_tracing_data(*tracing);
  }
  return file;
}

// Events with the term percore are of whole cores, also where all else is of CPUs.
void add_cores(const StatRequest& request, const EventList& events, const CpuList& cpus, StatLayout& layout) {
  const auto of_core = [](const EventSpec& spec) { return spec.terms.percore.value_or(false); };
  if (layout.aggregation != StatAggregation::Cpu || std::ranges::none_of(events, of_core)) return;
  layout.first_core = layout.places.size();
  layout.core_at_each_cpu = request.core_at_each_cpu;
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

}  // namespace

Result<> check_consistency(const StatRequest& request, const Invocation& call) {
  const TargetRequest& target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  auto usage = [](std::string_view what) { return fail(ErrorKind::Usage, "{}", what); };
  if (request.separator && request.big_numbers.value_or(false)) return usage("-B option not supported with -x");
  if (!request.output.empty() && request.log_fd) return usage("cannot use both --output and --log-fd");
  if (request.interval_count != 0 && request.interval_ms == 0)
    return usage("interval-count option should be used together with interval-print.");
  if (request.timeout_ms != 0 && request.timeout_ms < 10) return usage("timeout must be >= 10ms.");
  if (request.timeout_ms != 0 && request.interval_ms != 0)
    return usage("timeout option is not supported with interval-print.");
  if (!request.bpf.programs.empty() && (has_threads || request.aggregation == StatAggregation::Thread))
    return usage(
        "--bpf-prog counts what programs of the kernel do, whichever thread they run for: leave out -p, -t and "
        "--per-thread");
  if (request.bpf.wanted() && (request.recorded || request.control))
    return usage("--bpf-counters and --bpf-prog go neither with stat record nor with --control");
  if (request.recorded && request.repeat != 1)
    return usage(fmt::format("Cannot use -r option with {} stat record.", call.messages.program()));
  if (request.table && request.repeat <= 1) return usage("--table is only supported with -r");
  if (request.aggregation == StatAggregation::Thread && !has_threads && !target.system_wide && !call.words.empty())
    return usage(
        "The --per-thread option is only available when monitoring via -p -t -a options or only --per-thread.");
  const bool has_cgroups = request.cgroups > 0 || !request.each_cgroup.empty();
  if (request.cgroups > 0 && !request.each_cgroup.empty())
    return usage("--cgroup and --for-each-cgroup cannot be used together");
  if ((is_by_cpu(request.aggregation) || has_cgroups) &&
      (has_threads || (!target.system_wide && target.cpus.empty() && !call.words.empty())))
    return usage("both cgroup and no-aggregation modes only available in system-wide mode");
  return {};
}

Result<StatPlan> make_plan(StatRequest& request, const Invocation& call) {
  auto target = choose_target(request, call);
  if (!target) return std::unexpected(std::move(target.error()));
  if (!request.null_run) PEREGRINE_TRY(add_preset_events(request, call));
  StatPlan plan;
  plan.target = std::move(*target);
  plan.command = call.words;
  plan.limits = perf_limits(request.sources.root());
  plan.layout.aggregation = request.aggregation;
  plan.layout.places = choose_places(request, plan.target);
  plan.layout.scale = request.scale;
  plan.layout.latency = request.latency_mode;
  plan.delay_ms = request.delay_ms;
  plan.interval_ms = request.interval_ms;
  plan.interval_count = request.interval_count;
  plan.timeout_ms = request.timeout_ms;
  plan.control = std::move(request.control);
  plan.before = request.before;
  plan.after = request.after;
  plan.sync = request.sync;
  plan.verbose = request.verbose > 0;
  plan.bpf = request.bpf;
  if (plan.bpf.registry.empty()) plan.bpf.registry = kSharedCounters;
  plan.events = request.events;
  if (!request.null_run) {
    const bool by_default = plan.events.empty() && request.metric.words.empty() && request.value_fields.empty();
    const auto add_counts = [&] {
      if (request.value_fields.empty() || !plan.events.empty() || request.detail > 0)
        add_stat_events(request.sources, plan.target.kind == TargetKind::Cpus, request.detail, plan.events);
    };
    if (by_default) add_counts();
    auto metrics = add_metric_events(request, call, plan.target, by_default, plan.events);
    if (!metrics) return std::unexpected(std::move(metrics.error()));
    plan.metrics = std::move(*metrics);
    if (!by_default) add_counts();
  }
  plan.metrics.repeat_every(plan.events.size());
  if (!request.merge) name_by_pmu(plan.events);
  if (request.merge_cores) name_without_core(plan.events);
  if (!request.each_cgroup.empty())
    PEREGRINE_TRY(expand_checked_cgroups(request.sources.root(), request.each_cgroup, plan.events));
  peregrine::StatOptions options;
  options.workload = plan.target.kind == TargetKind::Workload;
  options.initial_delay_ms = request.delay_ms;
  options.inherit = request.inherit;
  options.all_user = request.all_user;
  options.all_kernel = request.all_kernel;
  options.group = request.group;
  PEREGRINE_TRY(configure_for_stat(options, plan.events));
  plan.sample_latencies = samples_latencies(request, plan.events, call.messages);
  read_machine_numbers(request, plan);
  plan.value_fields = request.value_fields;
  plan.value_bounds = request.value_bounds;
  for (ValueField& field : plan.value_fields) {
    EventList alone{field.event};
    PEREGRINE_TRY(configure_for_stat(options, alone));
    field.event = std::move(alone.front());
  }
  add_cores(request, plan.events, plan.target.cpus, plan.layout);
  if (request.recorded) {
    auto recording = recording_of(request, call, plan.events);
    if (!recording) return std::unexpected(std::move(recording.error()));
    plan.recording = std::move(*recording);
  }
  return plan;
}

void warn_about_unmeasured_programs(const StatPlan& plan, const std::string& other, Invocation& call) {
  if (plan.target.kind != TargetKind::Workload || plan.command.empty() || plan.events.empty()) return;
  const std::string& program = plan.command.front();
  warn_about_unmeasured_program(program, call);
  if (!other.empty() && other != program) warn_about_unmeasured_program(other, call);
}

}  // namespace peregrine::cmd
