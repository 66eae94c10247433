// record: run a command, or watch processes, CPUs or everything, and write what was sampled to perf.data.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "base/text/counted.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/version.h"
#include "cmd/events/event_sources.h"
#include "cmd/events/open_log.h"
#include "cmd/events/unmeasured_program.h"
#include "cmd/probe/temporary_probes.h"
#include "cmd/record/record_coverage.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_page.h"
#include "cmd/record/record_settle.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/kept_files.h"
#include "event/attr_text.h"
#include "pipeline/recording/recording.h"
#include "sys/hardware/cpu.h"
#include "sys/process/limit.h"

namespace peregrine::cmd {
namespace {

// What the kernel could only refuse less clearly.
Result<> check_events(const RecordCommandOptions& options) {
  bool cgroup = false, aux = options.aux_sample || options.snapshot;
  for (const auto& spec : options.events) {
    cgroup |= !spec.cgroup.empty();
    aux |= spec.terms.aux_sample_size.value_or(0) != 0;
  }
  const auto has_stack = [](const EventSpec& spec) { return spec.attr.samples(abi::sample_bit::StackUser); };
  if (options.unwind_now && std::ranges::none_of(options.events, has_stack)) {
    return std::unexpected(
        Error{ErrorKind::Usage, "--unwind=now: no event records stacks to unwind"}.with_hint("add --call-graph dwarf"));
  }
  if (cgroup && !options.target.system_wide)
    return fail(ErrorKind::Usage, "cgroup monitoring only available in system-wide mode");
  if (!aux) return {};
  Error error{ErrorKind::Unsupported,
              options.snapshot ? "No AUX area tracing to snapshot" : "No AUX area event to sample"};
  error.hint = "AUX area traces (intel_pt, arm_spe, cs_etm) are not recorded here";
  return std::unexpected(std::move(error));
}

// What excludes what, and what takes over from what.
Result<> settle_output(RecordCommandOptions& options, Invocation& call) {
  const bool pipe = options.output == "-";
  const auto gives_way = [&](bool chosen, std::string_view name) {
    if (chosen)
      call.messages.verbatim(fmt::format("WARNING: --{} option is not available in parallel streaming mode.\n", name));
  };
  if (!options.threads.empty()) {
    if (pipe) return fail(ErrorKind::System, "Parallel trace streaming is not available in pipe mode.");
    if (options.write_blocks > 0)
      return fail(ErrorKind::System,
                  "Asynchronous streaming mode (--aio) is mutually exclusive to parallel streaming mode.");
    if (options.affinity != RingAffinity::Anywhere)
      return fail(ErrorKind::System, "--affinity option is mutually exclusive to parallel streaming mode.");
    gives_way(options.switch_when.has_value(), "switch-output");
    gives_way(options.stamped_name, "timestamp-filename");
    options.switch_when.reset();
    options.stamped_name = false;
  }
  if (options.unwind_now && !options.threads.empty())
    return fail(ErrorKind::Usage, "--unwind=now and --threads exclude each other: one thread unwinds");
  if (options.unwind_now && options.config.overwrite)
    return fail(ErrorKind::Usage, "--unwind=now and --overwrite exclude each other: old records are not unwound");
  if (options.unwind_now && options.off_cpu)
    return fail(ErrorKind::Usage, "--unwind=now and --off-cpu exclude each other");
  if (options.off_cpu_threshold > 0 && !options.off_cpu)
    return fail(ErrorKind::Usage, "--off-cpu-thresh is of no use without --off-cpu");
  if (pipe && options.kernel_image) return fail(ErrorKind::Usage, "--kcore needs a directory: the output is a pipe");
  if (pipe && options.switch_when) return fail(ErrorKind::Usage, "--switch-output needs a file: the output is a pipe");
  if (pipe && options.disk_sync.value_or(false))
    return fail(ErrorKind::Usage, "--sync needs a file: the output is a pipe");
  if (pipe) options.stamped_name = false;
  if (options.kernel_image && ::access("/proc/kcore", R_OK) != 0) {
    return std::unexpected(Error{ErrorKind::Unsupported, "kcore is not readable"}.with_hint(
        "/proc/kcore is there for root, in kernels that are built with CONFIG_PROC_KCORE"));
  }
  options.tail_synthesis |= options.config.overwrite;
  return {};
}

// The rings are emptied when they are half full: files much smaller than that cannot be had.
void warn_about_small_files(const RecordCommandOptions& options, const PerfLimits& limits, Invocation& call) {
  const std::size_t ring = options.ring_bytes != 0 ? options.ring_bytes : default_ring_size(limits.mlock_kb);
  if (!options.switch_when || options.switch_when->bytes == 0 || options.switch_when->bytes >= ring / 2) return;
  call.messages.verbatim(
      fmt::format("WARNING: switch-output data size lower than wakeup kernel buffer size ({}K) expect bigger perf.data "
                  "sizes\n",
                  ring / 2 >> 10));
}

RecordingOptions recording_options(RecordCommandOptions& options, Target target, const Invocation& call) {
  RecordingOptions recording;
  recording.target = std::move(target);
  recording.follow = options.per_cpu;
  recording.command = call.words;
  recording.output = options.output;
  recording.ring_bytes = options.ring_bytes;
  recording.compression_level = std::clamp(options.compression_level, 0, kMaxCompressionLevel);
  if (options.write_blocks > 0) recording.write_blocks = static_cast<std::size_t>(std::min(options.write_blocks, 4));
  recording.schedule = options.schedule;
  recording.control = std::move(options.control);
  recording.max_bytes = options.max_bytes;
  if (options.switch_when) {
    recording.switching =
        peregrine::SwitchOptions{*options.switch_when, std::move(options.switch_events), options.switch_max_files};
  }
  recording.stamped_name = options.stamped_name;
  recording.affinity = options.affinity;
  recording.least_bytes = options.least_bytes;
  recording.tail_synthesis = options.tail_synthesis;
  recording.synthesis_threads = options.synthesis_threads;
  recording.map_timeout_ms = options.map_timeout_ms;
  recording.kernel_copy = options.kernel_image;
  recording.unwind = options.unwind_now;
  if (options.unwind_now) recording.kept = kept_files(call.config);
  if (options.off_cpu) recording.off_cpu = OffCpuRequest{options.off_cpu_threshold};
  recording.sample_times = options.sample_times;
  if (options.disk_sync) recording.disk_sync = *options.disk_sync ? DiskSyncing::EverySecond : DiskSyncing::Never;
  recording.tell_start = options.verbose >= 3;
  recording.duration = options.duration;
  recording.real_time_priority = options.real_time_priority;
  recording.data_maps = options.config.addresses;
  recording.namespaces = options.config.namespaces;
  recording.cgroups = options.config.cgroups;
  recording.synthesis = options.synthesis;
  recording.map_build_ids = options.config.build_id_in_mmap;
  // Looking for them takes time, in which the rings of the next file fill.
  const bool no_build_ids = options.no_build_ids.value_or(options.switch_when.has_value());
  recording.build_ids = !no_build_ids && !options.config.build_id_in_mmap;
  recording.all_build_ids = options.all_build_ids;
  if (!options.no_build_id_cache && !no_build_ids) recording.build_id_cache = call.config.buildid_directory();
  recording.clockid = options.config.clockid;
  recording.command_line = call.argv;
  recording.version = std::string(kSpeaks);
  return recording;
}

// Loss by CPU and cause, with what helps against it.
void tell_losses(const RecordingSummary& summary, Invocation& call) {
  u64 lost = 0, dropped = 0, throttles = 0;
  std::string places;
  for (const CpuLoss& loss : summary.losses) {
    lost += loss.lost_records;
    dropped += loss.lost_samples;
    throttles += loss.throttles;
    const std::string place = loss.cpu >= 0 ? fmt::format("CPU {}", loss.cpu) : fmt::format("thread {}", loss.thread);
    places += fmt::format("\n  {}: {} lost (ring full), {} dropped by the kernel, throttled {}", place,
                          loss.lost_records, counted(loss.lost_samples, "sample"), counted(loss.throttles, "time"));
  }
  if (lost + dropped > 0) {
    const double share =
        100.0 * static_cast<double>(lost + dropped) / static_cast<double>(lost + dropped + summary.samples);
    call.messages.warning(fmt::format("{} lost ({:.1f} % of all):{}",
                                      counted(lost + dropped, "record was", "records were"), share, places),
                          fmt::format("give larger rings (-m {}M), sample less often (-F, -c), or record with -r 1",
                                      std::max<std::size_t>(1, summary.ring_bytes * 4 >> 20)));
  } else if (throttles > 0) {
    call.messages.warning(fmt::format("the kernel stopped events for a while because they came too often:{}", places),
                          "sample less often (-F, -c), or raise /proc/sys/kernel/perf_event_max_sample_rate");
  }
}

void tell_summary(const RecordCommandOptions& options, const RecordingSummary& summary, Invocation& call) {
  for (const auto& warning : summary.warnings) call.messages.warning(warning);
  if (const auto& unread = summary.unread_processes; !unread.empty()) {
    // Root may be refused as well: by another user namespace, or a process that protects itself.
    const bool may_read = capabilities(Root()).has(Capability::SysPtrace);
    constexpr std::size_t kShown = 5;
    const std::string pids = fmt::format(
        "{}{}", fmt::join(unread.begin(), unread.begin() + static_cast<long>(std::min(kShown, unread.size())), ", "),
        unread.size() > kShown ? ", …" : "");
    call.messages.warning(
        fmt::format("cannot read the maps of {} process{} (PID {}): {} user code has no symbols", unread.size(),
                    unread.size() == 1 ? "" : "es", pids, unread.size() == 1 ? "its" : "their"),
        may_read ? "" : "record as root, or with CAP_SYS_PTRACE");
  }
  tell_losses(summary, call);
  if (const auto& lost = summary.off_cpu_lost; lost.stacks + lost.sleeps + lost.tasks > 0) {
    call.messages.warning(fmt::format("off-CPU time: {} not kept, {} without their stacks, and {}",
                                      counted(lost.sleeps, "wait was", "waits were"), lost.stacks,
                                      counted(lost.tasks, "child", "children")));
  }
  if (summary.lost_tasks > 0)
    call.messages.warning(fmt::format("{} of the command could not be followed: their samples are missing",
                                      counted(summary.lost_tasks, "child", "children")));
  if (options.quiet) return;
  call.messages.verbatim(fmt::format("[ perf record: Woken up {} times to write data ]\n", summary.wakeups));
  if (!summary.put_away.empty()) call.messages.verbatim(fmt::format("[ perf record: Dump {} ]\n", summary.put_away));
  if (summary.unwinding) {
    call.messages.note(fmt::format("{} unwound while recording, {} kept for later; {:.3f} s of processor time",
                                   counted(summary.unwinding->unwound, "stack"), summary.unwinding->kept,
                                   static_cast<double>(summary.unwinding->nanoseconds) / 1e9));
  }
  if (summary.filtered_out > 0)
    call.messages.verbatim(fmt::format("[ perf record: {} samples were filtered out ]\n", summary.filtered_out));
  const double megabyte = 1024.0 * 1024.0;
  std::string line =
      fmt::format("[ perf record: Captured and wrote {:.3f} MB {}", static_cast<double>(summary.bytes) / megabyte,
                  options.output + (summary.put_away.empty() ? "" : ".<timestamp>"));
  if (summary.samples > 0) line += fmt::format(" ({} samples)", summary.samples);
  if (summary.compressed_bytes > 0) {
    line += fmt::format(", compressed (original {:.3f} MB, ratio is {:.3f})",
                        static_cast<double>(summary.record_bytes) / megabyte,
                        static_cast<double>(summary.record_bytes) / static_cast<double>(summary.compressed_bytes));
  }
  call.messages.verbatim(line + " ]\n");
}

// The filters of tracepoints, which the kernel applies: "sched:sched_switch 'prev_pid == 1'".
std::string kernel_filters(const EventList& events) {
  std::vector<std::string> filters;
  for (const EventSpec& spec : events)
    if (spec.filter && spec.is_tracepoint()) filters.push_back(fmt::format("{} '{}'", spec.name, *spec.filter));
  return fmt::format("{}", fmt::join(filters, ", "));
}

void tell_empty_filter(const RecordingSummary& summary, const std::string& kernel_filter, Invocation& call) {
  if (summary.samples != 0) return;
  if (summary.filtered_out > 0)
    call.messages.warning(fmt::format("no sample passed the filter; {} {} seen", summary.filtered_out,
                                      summary.filtered_out == 1 ? "was" : "were"));
  else if (!kernel_filter.empty())
    call.messages.warning(fmt::format("no event passed the filter: {}", kernel_filter),
                          "the kernel does not count what a tracepoint's filter refuses: 'stat -e EVENT' shows how "
                          "many events there are");
}

Error explain_failed_command(const RecordCommandOptions& options, Error error, Invocation& call) {
  if (error.system_errno != ENOENT || call.words.empty() || !error.hint.empty()) return error;
  const std::string& word = call.words.front();
  const bool is_mode =
      word == "fp" || word == "lbr" || word == "dwarf" || word.starts_with("dwarf,") || word.starts_with("fp,");
  if (is_mode && options.config.callgraph.enabled())
    error.hint = fmt::format("-g takes no value: use --call-graph {}", word);
  else
    error.hint = nearest_program_hint(word, call.config.variable("PATH").value_or(""));
  return error;
}

// A command that a signal ended, ends `record` by the same signal, so that shells see it.
[[noreturn]] void end_by_signal(int number) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(number, SIG_DFL);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, number);
  ::sigprocmask(SIG_UNBLOCK, &mask, nullptr);
  ::raise(number);
  ::_exit(128 + number);
}

Result<int> exit_status(const RecordingSummary& summary, Invocation& call) {
  int number = summary.stopped_by.value_or(0);
  if (summary.exit && !summary.duration_over) {
    if (summary.exit->exited() && number == 0) return summary.exit->code();
    if (!summary.exit->exited()) number = summary.exit->signal();
  }
  if (number == 0) return 0;
  static_cast<void>(call.out.flush());  // what ended the workload ends this program too
  end_by_signal(number);
}

// --setup-filter
Result<int> set_up_filter(const RecordCommandOptions& options, Invocation& call) {
  if (!call.words.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("--setup-filter runs no command, but '{}' was given", call.words.front())}
            .with_hint("set up the filter first, then record"));
  if (options.filter_setup == "unpin") {
    PEREGRINE_TRY(unpin_sample_filter());
    return 0;
  }
  const auto added = pin_sample_filter();
  if (!added) return std::unexpected(added.error());
  if (*added != 0)
    call.messages.note(
        fmt::format("added x permissions ({:04o}) to {}, so that all users can enter it; "
                    "--setup-filter=unpin removes them",
                    *added, kBpfFolder));
  return 0;
}

// Nothing after --dry-run.
Result<std::optional<RecordingSummary>> run_recording(RecordCommandOptions& options, Invocation& call) {
  tell_problems(options.sources, call.messages);
  PEREGRINE_TRY(settle_output(options, call));
  PEREGRINE_TRY(check_page(options));
  settle_target(options, call);
  PEREGRINE_TRY(settle_latency(options));
  const Root& root = options.sources.root();
  const PerfLimits limits = perf_limits(root);
  PEREGRINE_TRY(settle_per_cpu(options, call));
  auto target = make_target(root, options.target);
  if (!target) return std::unexpected(std::move(target.error()));
  std::vector<std::string> warnings;
  std::unique_ptr<TemporaryProbes> probes;
  if (!options.probes.empty() && !options.dry_run) {
    auto added = TemporaryProbes::add(options.probes, call.words.empty() ? "" : call.words.front(), call,
                                      ExistingProbes::Ignore);
    if (!added) return std::unexpected(std::move(added.error()));
    probes = std::move(*added);
    for (const std::string& event : probes->events())
      PEREGRINE_TRY(parse_events(event, options.sources, options.events));
  }
  PEREGRINE_TRY(settle_events(options, limits, *target, call, warnings));
  PEREGRINE_TRY(check_events(options));
  PEREGRINE_TRY(check_per_cpu(options));
  if (options.verbose > 0) {
    for (const EventSpec& spec : options.events)
      if (spec.filters_addresses) call.messages.note(fmt::format("Address filter: {}", *spec.filter));
  }
  if (options.dry_run) return std::nullopt;
  warn_about_small_files(options, limits, call);
  const auto say = [&](std::string_view text) {
    if (!options.quiet) call.messages.verbatim(text);
  };
  if (target->kind == TargetKind::Workload && !call.words.empty())
    warn_about_unmeasured_program(call.words.front(), call);
  RecordingOptions how = recording_options(options, std::move(*target), call);
  if (!options.threads.empty()) {
    auto plan = parse_thread_plan(root, options.threads);
    if (!plan) return std::unexpected(std::move(plan.error()));
    how.threads = std::move(*plan);
  }
  const auto server = open_debug_servers(options.servers, call);
  if (server) how.fetch_debug = [&server](const BuildId& id) { return server->fetch(id, ServerFile::DebugInfo); };
  OpenLog log(call.config, call.messages, options.verbose > 1);
  how.on_open = log.listener();
  auto recording = Recording::start(root, std::move(how), std::move(options.events), options.sources, say, warnings);
  for (const auto& warning : warnings) say(warning.ends_with('\n') ? warning : warning + "\n");
  if (!recording) return std::unexpected(std::move(recording.error()));
  if (options.verbose > 0) {
    for (const auto& spec : recording->events())
      call.messages.note(fmt::format("{}: {}", spec.name, attr_text(spec.attr)));
  }
  const std::string kernel_filter = kernel_filters(recording->events());
  auto summary = recording->run();
  if (!summary) return std::unexpected(explain_failed_command(options, std::move(summary.error()), call));
  tell_summary(options, *summary, call);
  tell_poor_coverage(options, recording->events(), *summary, call);
  tell_empty_filter(*summary, kernel_filter, call);
  PEREGRINE_TRY(write_page(options, call));
  return std::optional(std::move(*summary));
}

}  // namespace

Result<int> record(RecordCommandOptions& options, Invocation& call) {
  call.messages.set_quiet(options.quiet);
  if (!options.filter_setup.empty()) return set_up_filter(options, call);
  auto summary = run_recording(options, call);
  if (!summary) return std::unexpected(std::move(summary.error()));
  // The end by a signal runs no destructors. The events of the recording are closed by now, which removing needs.
  options.markers.clear();
  return *summary ? exit_status(**summary, call) : 0;
}

}  // namespace peregrine::cmd
