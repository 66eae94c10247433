#include "session/record/recording_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "event/config/bpf_output_event.h"
#include "event/config/default_event.h"
#include "event/config/off_cpu_event.h"
#include "event/config/record_config.h"
#include "event/kind/core_event.h"
#include "event/syntax/parse.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/recording.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

RecordingPlan::RecordingPlan(const RecordRequest& request, const Root& root, SessionListener& listener)
    : request_(request),
      root_(root),
      listener_(listener),
      limits_(perf_limits(root)),
      chosen_(request.target),
      config_(request.recording.config) {}

void RecordingPlan::override_target(std::string_view text) { listener_.verbatim(fmt::format("Warning:\n{}\n", text)); }

void RecordingPlan::choose_target() {
  TargetRequest& target = chosen_;
  for (const std::string& dropped : drop_overridden(target)) override_target(dropped);
  const bool threads = !target.pids.empty() || !target.tids.empty();
  const bool user = !target.user.empty();
  const bool cpus = !target.cpus.empty();
  if (request_.recording.run.command.empty() && !threads && !user && !cpus) target.system_wide = true;
  if (target.per_thread && (target.system_wide || cpus)) {
    target.per_thread = false;
    override_target("SYSTEM/CPU switch overriding PER-THREAD");
  }
}

// --per-cpu: makes the whole machine the target.
Result<> RecordingPlan::choose_whole_cpus() {
  const RunRequest& run = request_.recording.run;
  if (!run.follow) return {};
  TargetRequest& target = chosen_;
  if (run.command.empty() || !target.pids.empty() || !target.tids.empty() || !target.user.empty()) {
    return std::unexpected(
        Error{ErrorKind::Usage, "--per-cpu requires a command to run"}.with_hint("for running processes, use -a"));
  }
  if (target.per_thread) return fail(ErrorKind::Usage, "--per-cpu cannot be combined with --per-thread");
  if (run.off_cpu) return fail(ErrorKind::Usage, "--per-cpu cannot be combined with --off-cpu");
  target.system_wide = target.cpus.empty();
  return {};
}

Result<> RecordingPlan::find_target() {
  choose_target();
  if (request_.latency) {
    if (chosen_.system_wide || !chosen_.cpus.empty())
      return std::unexpected(Error{ErrorKind::Usage, "--latency cannot profile whole CPUs"}.with_hint(
          "record a command or processes (-p): latency depends on how many of their threads run"));
    config_.side_band.switch_events = true;
  }
  PEREGRINE_TRY(choose_whole_cpus());
  auto target = make_target(root_, chosen_);
  if (!target) return std::unexpected(std::move(target.error()));
  target_ = std::move(*target);
  return {};
}

// A rate chosen by the user must be within the kernel's limit. It is kept separate from the default rate, which
// tracepoints and side-band events do not use.
Result<> RecordingPlan::limit_rates() {
  SamplingRequest& sampling = config_.sampling;
  if (sampling.frequency_max) {
    if (!limits_.max_sample_rate)
      return fail(ErrorKind::Usage, "couldn't read /proc/sys/kernel/perf_event_max_sample_rate");
    sampling.frequency = static_cast<u64>(*limits_.max_sample_rate);
    listener_.verbatim(fmt::format("info: Using a maximum frequency rate of {} Hz\n", *sampling.frequency));
  }
  if (!sampling.frequency) return {};
  auto limited =
      limit_frequency(*sampling.frequency, true, sampling.strict_frequency, limits_.max_sample_rate, warnings_);
  if (!limited) return std::unexpected(std::move(limited.error()));
  sampling.frequency = *limited;
  return {};
}

// The kernel may have lowered its limit below the default rate. Lowers the rate silently, like linux-perf.
void RecordingPlan::lower_default_rate() {
  if (!limits_.max_sample_rate || *limits_.max_sample_rate <= 0) return;
  for (EventSpec& spec : events_) {
    if (!spec.attr.has(abi::attr_flag::Freq)) continue;
    spec.attr.sample_period = std::min(spec.attr.sample_period, static_cast<u64>(*limits_.max_sample_rate));
  }
}

Result<> RecordingPlan::configure(EventSources& sources, EventList events) {
  events_ = std::move(events);
  if (events_.empty()) {
    const bool amd = cpu_identity(root_).vendor == "AuthenticAMD";
    events_ = spread_over_cores(sources, default_record_event(paranoid_allows(limits_, capabilities(root_), 2), amd));
    for (EventSpec& spec : events_) {
      if (sources.guest) spec.attr.set(abi::attr_flag::ExcludeGuest, false);
      if (!sources.host) spec.attr.set(abi::attr_flag::ExcludeHost);
    }
  }
  // -t disables inheritance even where -p takes precedence.
  const SampledTarget sampled{.system_wide = target_.kind == TargetKind::Cpus && chosen_.cpus.empty(),
                              .cpu_list = !chosen_.cpus.empty(),
                              .has_pids = target_.kind == TargetKind::Threads,
                              .has_tids = !request_.target.tids.empty(),
                              .per_thread = target_.per_thread};
  PEREGRINE_TRY(limit_rates());
  if (request_.recording.run.off_cpu) add_off_cpu_event(events_);
  if (request_.recording.run.file_names) add_bpf_output_event(events_, kFileNamesEvent);
  // After the user's rate was limited and before the default one is lowered: this fills in the default.
  PEREGRINE_TRY(configure_for_record(sampled, config_, events_, warnings_));
  for (EventSpec& spec : events_) {
    if (is_off_cpu_event(spec)) settle_off_cpu_event(spec);
    if (is_bpf_output_event(spec, kFileNamesEvent)) settle_file_names_event(spec);
  }
  lower_default_rate();
  // Each write to the file hits dozens of tracepoints, which would cause the next write.
  if (target_.kind == TargetKind::Cpus) exclude_from_patterns(events_, ::getpid());
  return {};
}

Result<> RecordingPlan::check() const {
  bool cgroup = false, aux = request_.aux_sample || request_.snapshot;
  for (const EventSpec& spec : events_) {
    cgroup |= !spec.cgroup.empty();
    aux |= spec.terms.aux_sample_size.value_or(0) != 0;
  }
  const auto has_stack = [](const EventSpec& spec) { return spec.attr.samples(abi::sample_bit::StackUser); };
  if (request_.recording.run.unwind && std::ranges::none_of(events_, has_stack)) {
    return std::unexpected(
        Error{ErrorKind::Usage, "--unwind=now: no event records stacks to unwind"}.with_hint("add --call-graph dwarf"));
  }
  if (cgroup && !chosen_.system_wide)
    return fail(ErrorKind::Usage, "cgroup monitoring only available in system-wide mode");
  if (aux) {
    return std::unexpected(Error{ErrorKind::Unsupported,
                                 request_.snapshot ? "No AUX area tracing to snapshot" : "No AUX area event to sample"}
                               .with_hint("recording AUX area traces (intel_pt, arm_spe, cs_etm) is not supported"));
  }
  return check_events_of_whole_cpus();
}

Result<> RecordingPlan::check_events_of_whole_cpus() const {
  if (!request_.recording.run.follow) return {};
  for (const EventSpec& spec : events_) {
    if (spec.is_tracepoint())
      return fail(ErrorKind::Usage, "{}: --per-cpu does not apply to tracepoints, which see all threads anyway",
                  spec.name);
    if (spec.filters_samples())
      return fail(ErrorKind::Usage, "{}: --per-cpu cannot be combined with --filter", spec.name);
  }
  return {};
}

// Rings are drained when half full, so files cannot be much smaller than that.
void RecordingPlan::warn_about_small_files() const {
  const std::size_t requested = request_.recording.rings.ring_bytes;
  const std::size_t ring = requested != 0 ? requested : default_ring_size(limits_.mlock_kb);
  const std::optional<SwitchCondition>& when = request_.recording.switching.when;
  if (!when || when->bytes == 0 || when->bytes >= ring / 2) return;
  listener_.verbatim(
      fmt::format("WARNING: switch-output data size lower than wakeup kernel buffer size ({}K) expect bigger perf.data "
                  "sizes\n",
                  ring / 2 >> 10));
}

}  // namespace peregrine
