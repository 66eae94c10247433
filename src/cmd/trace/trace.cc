// trace: system calls of a command, of processes or of the whole machine, as they happen, and what they sum up to.
#include <unistd.h>

#include "base/text/counted.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/text_file.h"
#include "cmd/events/event_sources.h"
#include "cmd/recording/recording.h"
#include "cmd/trace/trace_samples.h"
#include "session/trace/trace_session.h"
#include "sys/process/cgroup.h"

namespace peregrine::cmd {

namespace {

// Whom to trace; without any choice and without a command: the whole machine. -u is looked at by the tracer itself, so
// that what the user starts later is seen too.
Result<Target> choose_target(TraceRequest& request, const Invocation& call) {
  TargetRequest target = request.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  const bool everybody = call.words.empty() && !has_threads;
  if (!target.user.empty() || !request.cgroup.empty() || everybody) target.system_wide = true;
  target.user.clear();
  if (!has_threads && !target.cpus.empty()) target.system_wide = true;
  return make_target(request.sources.root(), target);
}

struct Output {
  Fd file;
  int fd = STDERR_FILENO;
};

Result<Output> open_output(const std::string& path) {
  Output output;
  if (path.empty()) return output;
  auto file = create_text_file(path);
  if (!file) return std::unexpected(std::move(file.error()));
  output.file = std::move(*file);
  output.fd = output.file.get();
  return output;
}

void tell_losses(u64 lost, u64 lost_hits, const TraceRequest& request, Messages& messages) {
  if (lost_hits != 0)
    messages.warning(
        fmt::format("{} lost: a ring was full", counted(lost_hits, "other event was", "other events were")),
        "give larger rings (-m 64M)");
  if (lost == 0) return;
  messages.warning(fmt::format("{} lost: the ring was full", counted(lost, "system call was", "system calls were")),
                   request.summary ? std::string() : "give a larger ring (-m 64M), or choose calls (-e)");
}

// By BPF programs. An error of kind Unsupported, Denied or System before anything was traced: it must be done
// otherwise.
Result<int> trace_by_programs(TraceOptions& options, const Target& target, Sink& out, bool terminal, bool& started,
                              Invocation& call) {
  TraceRequest& request = options.request;
  TracePrinter printer(request, out, true, terminal);
  if (options.force_btf) PEREGRINE_TRY(printer.take_kernel_types());
  TraceSession session(request,
                       {.target = target,
                        .command = call.words,
                        .path = std::string(call.config.variable("PATH").value_or("/usr/bin:/bin")),
                        .places = live_symbol_places(call.config),
                        .spare_terminals = options.output.empty(),
                        .tell_means = options.verbose > 0},
                       call.messages);
  auto done = session.run(printer, out);
  started = session.started();
  if (!done) {
    static_cast<void>(out.flush());
    return std::unexpected(std::move(done.error()));
  }
  if (request.summing()) printer.write_summary();
  PEREGRINE_TRY(out.flush());
  tell_losses(session.lost(), session.lost_hits(), request, call.messages);
  if (options.tool_stats)
    call.messages.verbatim(fmt::format("Stats:\n  vfs_getname : 0\n proc_getname: {}\n", printer.files().asked()));
  return 0;
}

Result<int> trace_live(TraceOptions& options, Sink& out, bool terminal, Invocation& call) {
  TraceRequest& request = options.request;
  auto target = choose_target(request, call);
  if (!target) return std::unexpected(std::move(target.error()));
  if (!request.cgroup.empty()) {
    const auto cgroup = unified_cgroup(request.sources.root(), request.cgroup);
    if (!cgroup) return std::unexpected(cgroup.error());
  }
  const bool programs_allowed = options.bpf_summary.value_or(true) || !request.summing();
  if (!request.wants_samples() && request.wants_calls() && programs_allowed) {
    bool started = false;
    auto done = trace_by_programs(options, *target, out, terminal, started, call);
    if (done || started || options.bpf_summary.value_or(false) || options.force_btf) return done;
    if (options.verbose > 0)
      call.messages.note(fmt::format("system calls are traced by the samples of raw_syscalls, which show addresses: {}",
                                     done.error().message));
  } else if (options.verbose > 0) {
    call.messages.note(request.wants_calls()
                           ? "system calls are traced by the samples of raw_syscalls, as what else was asked for"
                           : "no system calls are traced; other events are sampled");
  }
  return trace_by_samples(options, *target, out, terminal, call);
}

// Errors (Usage): the kernel's types describe calls that are traced now.
Result<> check_force_btf(const TraceOptions& options) {
  if (!options.force_btf || options.input.empty()) return {};
  return fail(ErrorKind::Usage, "--force-btf cannot be combined with -i: a recording does not hold the structs");
}

// Errors (Usage): the kernel does not add up what else was chosen.
Result<> settle_bpf_summary(TraceOptions& options, const Invocation& call) {
  if (!options.bpf_summary.value_or(false)) return {};
  TraceRequest& request = options.request;
  if (!options.input.empty())
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with -i: it reads no recording");
  if (!call.words.empty() && call.words[0] == "record")
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with record: nothing is recorded");
  if (request.summary_too)
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with -S: calls are not shown one by one");
  request.summary = true;
  if (!request.wants_samples() && request.wants_calls()) return {};
  return fail(ErrorKind::Usage,
              "--bpf-summary needs system calls, and cannot be combined with options that need samples (--call-graph "
              "lbr, --kernel-syscall-graph, --switch-on, --min-stack, -e EVENT/freq=N/)");
}

}  // namespace

Result<int> run_trace(TraceOptions& options, Invocation& call) {
  TraceRequest& request = options.request;
  tell_problems(request.sources, call.messages);
  if (!options.dumped_map.empty()) {
    // There are no events that are BPF objects, whose maps these could be.
    call.messages.verbatim(fmt::format("ERROR: BPF map \"{}\" not found\n", options.dumped_map));
    return 255;
  }
  if (request.errno_summary && !request.summing()) request.summary = true;
  PEREGRINE_TRY(check_force_btf(options));
  PEREGRINE_TRY(settle_bpf_summary(options, call));
  if (auto chains = request.chains(); !chains) return std::unexpected(std::move(chains.error()));
  if (!call.words.empty() && call.words[0] == "record") return record_trace(options, call);
  auto output = open_output(options.output);
  if (!output) return std::unexpected(std::move(output.error()));
  Sink out(output->fd);
  const bool terminal = ::isatty(output->fd) != 0;
  auto done =
      options.input.empty() ? trace_live(options, out, terminal, call) : trace_recording(options, out, terminal, call);
  if (!done && done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
    done.error().hint = nearest_program_hint(call.words.front(), call.config.variable("PATH").value_or(""));
  return done;
}

}  // namespace peregrine::cmd
