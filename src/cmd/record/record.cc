// record: runs a command, or watches processes, CPUs or the whole machine, and writes samples to perf.data.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/build_id.h"
#include "base/result.h"
#include "capture/bpf/filter/pinned_filter_setup.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/version.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/probe/probe_options.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_page.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/kept_files.h"
#include "cmd/sandbox/page_opener.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/recording.h"
#include "session/probe/probe_plan.h"
#include "session/probe/temporary_probes.h"
#include "session/record/record_request.h"
#include "session/record/record_session.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine::cmd {
namespace {

// Output options that exclude each other or override others.
Result<> settle_output(RecordCommandOptions& options, Invocation& call) {
  RecordingRequest& recording = options.request.recording;
  const RunRequest& run = recording.run;
  SwitchRequest& switching = recording.switching;
  FileRequest& output = recording.output;
  const bool pipe = output.path == "-", threads = !recording.rings.threads.empty();
  const bool overwrite = recording.config.sampling.overwrite;
  const auto ignored = [&](bool chosen, std::string_view name) {
    if (chosen)
      call.messages.verbatim(fmt::format("WARNING: --{} option is not available in parallel streaming mode.\n", name));
  };
  if (threads) {
    if (pipe) return fail(ErrorKind::System, "Parallel trace streaming is not available in pipe mode.");
    if (output.write_blocks > 0)
      return fail(ErrorKind::System,
                  "Asynchronous streaming mode (--aio) is mutually exclusive to parallel streaming mode.");
    if (recording.rings.affinity != RingAffinity::Anywhere)
      return fail(ErrorKind::System, "--affinity option is mutually exclusive to parallel streaming mode.");
    ignored(switching.when.has_value(), "switch-output");
    ignored(switching.stamped_name, "timestamp-filename");
    switching.when.reset();
    switching.stamped_name = false;
  }
  if (run.unwind && threads)
    return fail(ErrorKind::Usage, "--unwind=now cannot be combined with --threads: one thread unwinds");
  if (run.unwind && overwrite)
    return fail(ErrorKind::Usage, "--unwind=now cannot be combined with --overwrite: old records are not unwound");
  if (run.unwind && run.off_cpu) return fail(ErrorKind::Usage, "--unwind=now cannot be combined with --off-cpu");
  if (run.file_names && (run.unwind || threads))
    return fail(ErrorKind::Usage, "--file-names cannot be combined with {}", run.unwind ? "--unwind=now" : "--threads");
  if (run.off_cpu_threshold > 0 && !run.off_cpu) return fail(ErrorKind::Usage, "--off-cpu-thresh requires --off-cpu");
  if (pipe && output.kernel_copy) return fail(ErrorKind::Usage, "--kcore cannot write to a pipe: it needs a directory");
  if (pipe && switching.when) return fail(ErrorKind::Usage, "--switch-output cannot write to a pipe: it needs files");
  if (pipe && output.disk_sync == DiskSyncing::EverySecond)
    return fail(ErrorKind::Usage, "--sync cannot be used with a pipe: it needs a file");
  if (pipe) switching.stamped_name = false;
  if (output.kernel_copy && ::access("/proc/kcore", R_OK) != 0) {
    return std::unexpected(Error{ErrorKind::Unsupported, "kcore is not readable"}.with_hint(
        "run as root, on a kernel built with CONFIG_PROC_KCORE"));
  }
  recording.synthesis.at_end |= overwrite;
  return {};
}

// Adds what the options do not specify to the request.
void complete_request(RecordCommandOptions& options, const Invocation& call) {
  RecordRequest& request = options.request;
  describe_program(request, call);
  request.search_path = call.config.search_path();
  request.opened_folder = open_log_folder(call.config);
  RunRequest& run = request.recording.run;
  run.command = call.words;
  run.tell_start = request.verbose >= 3;
  if (run.unwind) run.kept = kept_files(call.config);
  if (!options.no_build_id_cache) request.recording.output.build_ids.cache = call.config.buildid_directory();
}

Error explain_failed_command(RecordCommandOptions& options, Error error, Invocation& call) {
  if (error.system_errno != ENOENT || call.words.empty() || !error.hint.empty()) return error;
  const std::string& word = call.words.front();
  const bool is_mode =
      word == "fp" || word == "lbr" || word == "dwarf" || word.starts_with("dwarf,") || word.starts_with("fp,");
  if (is_mode && options.callgraph().enabled())
    error.hint = fmt::format("-g takes no value: use --call-graph {}", word);
  else
    error.hint = nearest_program_hint(word, program_places(call));
  return error;
}

// If a signal ended the command, `record` ends by the same signal, so that shells see it.
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
  static_cast<void>(call.out.flush());  // the signal that ended the workload ends this program too
  end_by_signal(number);
}

// --setup-filter
Result<int> set_up_filter(const RecordCommandOptions& options, Invocation& call) {
  if (!call.words.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("--setup-filter does not take a command: '{}'", call.words.front())}
            .with_hint("set up the filter first, then record"));
  if (options.filter_setup == "unpin") {
    PEREGRINE_TRY(unpin_sample_filter());
    return 0;
  }
  const auto added = pin_sample_filter();
  if (!added) return std::unexpected(added.error());
  if (*added != 0)
    call.messages.note(
        fmt::format("added execute permission ({:04o}) to {}, so that all users can enter it; "
                    "--setup-filter=unpin removes them",
                    *added, kBpfFolder));
  return 0;
}

// --probe: records the events of these probes like those of -e.
Result<std::unique_ptr<TemporaryProbes>> add_requested_probes(RecordCommandOptions& options, Invocation& call) {
  if (options.probes.empty() || options.dry_run) return nullptr;
  auto added = TemporaryProbes::add(options.probes, call.words.empty() ? "" : call.words.front(), probe_home(call),
                                    ExistingProbes::Ignore, call.messages);
  if (!added) return added;
  for (const std::string& event : (*added)->events()) PEREGRINE_TRY(options.events.add(event));
  return added;
}

// Tells people who type only `record` at a terminal what it is waiting for.
void note_endless_recording(const RecordCommandOptions& options, Invocation& call) {
  const TargetRequest& target = options.request.target;
  if (!call.words.empty() || options.request.quiet || options.request.recording.run.duration) return;
  if (::isatty(STDERR_FILENO) == 0) return;
  const bool whole = target.pids.empty() && target.tids.empty() && target.user.empty();
  call.messages.note(whole ? "Recording all CPUs; press Ctrl-C to stop" : "Recording; press Ctrl-C to stop");
}

// No value after --dry-run.
Result<std::optional<RecordingSummary>> run_recording(RecordCommandOptions& options, Invocation& call) {
  tell_problems(options.events.sources(), call.messages);
  PEREGRINE_TRY(settle_output(options, call));
  PEREGRINE_TRY(check_page(options));
  complete_request(options, call);
  RecordSession session(options.request, options.events.sources(), call.messages);
  PEREGRINE_TRY(session.find_target());
  const auto probes = add_requested_probes(options, call);
  if (!probes) return std::unexpected(probes.error());
  PEREGRINE_TRY(session.configure(options.events.take()));
  if (options.dry_run) return std::nullopt;
  const auto server = open_debug_servers(options.servers, call);
  RecordingHooks hooks{.control = std::move(options.control), .say = {}, .on_open = {}, .fetch_debug = {}};
  if (server) hooks.fetch_debug = [&server](const BuildId& id) { return server->fetch(id, ServerFile::DebugInfo); };
  PEREGRINE_TRY(session.start(std::move(hooks)));
  note_endless_recording(options, call);
  std::optional<PageOpener> opener;
  if (options.open) opener.emplace(options.html, call);
  auto summary = session.run();
  if (!summary) return std::unexpected(explain_failed_command(options, std::move(summary.error()), call));
  const auto written = write_page(options, call);
  if (!written) return std::unexpected(written.error());
  if (opener && *written) opener->open();
  return std::optional(std::move(*summary));
}

}  // namespace

void describe_program(RecordRequest& request, const Invocation& call) {
  request.recording.output.command_line = call.argv;
  request.recording.output.version = kSpeaks;
}

Result<int> record(RecordCommandOptions& options, Invocation& call) {
  call.messages.set_quiet(options.request.quiet);
  if (!options.filter_setup.empty()) return set_up_filter(options, call);
  auto summary = run_recording(options, call);
  if (!summary) return std::unexpected(std::move(summary.error()));
  // Ending by a signal runs no destructors. The recording's events are closed by now, which removing probes requires.
  options.markers.clear();
  return *summary ? exit_status(**summary, call) : 0;
}

}  // namespace peregrine::cmd
