#include "cmd/record/record_settle.h"

#include <algorithm>

#include "event/config/default_event.h"
#include "event/config/off_cpu_event.h"
#include "event/kind/core_event.h"
#include "sys/hardware/cpu.h"

namespace peregrine::cmd {

void settle_target(RecordCommandOptions& options, Invocation& call) {
  auto& target = options.target;
  const bool threads = !target.pids.empty() || !target.tids.empty();
  options.config.has_tids = !target.tids.empty();  // -t turns inheritance off even where -p wins
  const auto overridden = [&](std::string_view text) { call.messages.verbatim(fmt::format("Warning:\n{}\n", text)); };
  if (!target.pids.empty() && !target.tids.empty()) {
    target.tids.clear();
    overridden("PID switch overriding TID");
  }
  if (threads && !target.user.empty()) {
    target.user.clear();
    overridden("PID/TID switch overriding UID");
  }
  const bool user = !target.user.empty();
  const std::string_view stronger = user ? "UID" : "PID/TID";
  if ((threads || user) && !target.cpus.empty()) {
    target.cpus.clear();
    overridden(fmt::format("{} switch overriding CPU", stronger));
  }
  if ((threads || user) && target.system_wide) {
    target.system_wide = false;
    overridden(fmt::format("{} switch overriding SYSTEM", stronger));
  }
  const bool cpus = !target.cpus.empty();
  if (call.words.empty() && !threads && !user && !cpus) target.system_wide = true;
  if (target.per_thread && (target.system_wide || cpus)) {
    target.per_thread = false;
    overridden("SYSTEM/CPU switch overriding PER-THREAD");
  }
}

Result<> settle_per_cpu(RecordCommandOptions& options, const Invocation& call) {
  if (!options.per_cpu) return {};
  auto& target = options.target;
  if (call.words.empty() || !target.pids.empty() || !target.tids.empty() || !target.user.empty()) {
    return std::unexpected(
        Error{ErrorKind::Usage, "--per-cpu needs a command to run"}.with_hint("processes that already run: use -a"));
  }
  if (target.per_thread) return fail(ErrorKind::Usage, "--per-cpu and --per-thread exclude each other");
  if (options.off_cpu) return fail(ErrorKind::Usage, "--per-cpu and --off-cpu exclude each other");
  target.system_wide = target.cpus.empty();
  return {};
}

Result<> check_per_cpu(const RecordCommandOptions& options) {
  if (!options.per_cpu) return {};
  for (const EventSpec& spec : options.events) {
    if (spec.is_tracepoint())
      return fail(ErrorKind::Usage, "{}: --per-cpu is for clocks and counters, tracepoints see all threads anyway",
                  spec.name);
    if (spec.filters_samples())
      return fail(ErrorKind::Usage, "{}: --per-cpu and --filter exclude each other", spec.name);
  }
  return {};
}

Result<> settle_latency(RecordCommandOptions& options) {
  if (!options.latency) return {};
  if (options.target.system_wide || !options.target.cpus.empty())
    return std::unexpected(Error{ErrorKind::Usage, "--latency does not work on whole CPUs"}.with_hint(
        "name a command or processes (-p): latency is divided by how many threads of a program run at once"));
  options.config.switch_events = true;
  return {};
}

namespace {

// A rate that the user chose must fit the kernel's limit; what was chosen is kept apart from the default, which
// tracepoints and side-band events do not take.
Result<> settle_rates(RecordCommandOptions& options, const PerfLimits& limits, Invocation& call,
                      std::vector<std::string>& warnings) {
  auto& config = options.config;
  if (options.frequency_max) {
    if (!limits.max_sample_rate)
      return fail(ErrorKind::Usage, "couldn't read /proc/sys/kernel/perf_event_max_sample_rate");
    config.frequency = static_cast<u64>(*limits.max_sample_rate);
    call.messages.verbatim(fmt::format("info: Using a maximum frequency rate of {} Hz\n", *config.frequency));
  }
  if (!config.frequency) return {};
  auto limited = limit_frequency(*config.frequency, true, options.strict_frequency, limits.max_sample_rate, warnings);
  if (!limited) return std::unexpected(std::move(limited.error()));
  config.frequency = *limited;
  return {};
}

// The default rate may be above what the kernel allows by now: lowered in silence, as linux-perf does.
void lower_default_rate(EventList& events, const PerfLimits& limits) {
  if (!limits.max_sample_rate || *limits.max_sample_rate <= 0) return;
  for (auto& spec : events) {
    if (!spec.attr.has(abi::attr_flag::Freq)) continue;
    spec.attr.sample_period = std::min(spec.attr.sample_period, static_cast<u64>(*limits.max_sample_rate));
  }
}

}  // namespace

Result<> settle_events(RecordCommandOptions& options, const PerfLimits& limits, const Target& target, Invocation& call,
                       std::vector<std::string>& warnings) {
  const Root& root = options.sources.root();
  if (options.events.empty()) {
    const bool amd = cpu_identity(root).vendor == "AuthenticAMD";
    options.events =
        spread_over_cores(options.sources, default_record_event(paranoid_allows(limits, capabilities(root), 2), amd));
    for (EventSpec& spec : options.events) {
      if (options.sources.guest) spec.attr.set(abi::attr_flag::ExcludeGuest, false);
      if (!options.sources.host) spec.attr.set(abi::attr_flag::ExcludeHost);
    }
  }
  auto& config = options.config;
  config.system_wide = target.kind == TargetKind::Cpus && options.target.cpus.empty();
  config.cpu_list = !options.target.cpus.empty();
  config.has_pids = target.kind == TargetKind::Threads;
  config.per_thread = target.per_thread;
  PEREGRINE_TRY(settle_rates(options, limits, call, warnings));
  if (options.off_cpu) add_off_cpu_event(options.events);
  PEREGRINE_TRY(configure_for_record(config, options.events, warnings));
  for (EventSpec& spec : options.events)
    if (is_off_cpu_event(spec)) settle_off_cpu_event(spec);
  lower_default_rate(options.events, limits);
  return {};
}

}  // namespace peregrine::cmd
