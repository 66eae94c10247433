// trace: system calls of a command, of processes or of the whole machine, live, and their statistics.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "cmd/events/event_sources.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/trace/trace_options.h"
#include "output/sink.h"
#include "output/text_file.h"
#include "session/trace/live_trace.h"
#include "session/trace/record_arguments.h"
#include "session/trace/sampled_trace.h"
#include "session/trace/trace_request.h"

namespace peregrine::cmd {

namespace {

struct Output {
  Fd file;
  int fd = STDERR_FILENO;
};

// As in linux-perf, an existing file becomes FILE.old.
Result<Output> open_output(const std::string& path) {
  Output output;
  if (path.empty()) return output;
  auto file = create_text_file(path, {.existing = Existing::KeepOld});
  if (!file) return std::unexpected(std::move(file.error()));
  output.file = std::move(*file);
  output.fd = output.file.get();
  return output;
}

Result<int> trace_recording(const TraceOptions& options, const SampleSetup& setup, Sink& out, Invocation& call) {
  const auto sandbox = enter_sandbox({.inputs = {options.input}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  auto recording = open_recording(options.input, options.force, call.messages);
  if (!recording) return say_open_error(call, options.input, recording.error());
  PEREGRINE_TRY(show_samples(options.live.trace, setup, *recording, out, {}, call.messages));
  return 0;
}

// trace record: `record` with the events that a trace needs.
Result<int> record_trace(const TraceOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_call_events(options.live.trace));
  std::vector<std::string> arguments{"-m", "1024"};
  const auto events = event_arguments(options.live.trace);
  arguments.insert(arguments.end(), events.begin(), events.end());
  arguments.insert(arguments.end(), call.words.begin() + 1, call.words.end());
  Command named = kRecord;  // help and errors refer to the command that the user typed
  named.name = "trace record";
  return run_other(named, std::move(arguments), call);
}

Result<int> trace_live(TraceOptions& options, SampleSetup setup, Sink& out, Invocation& call) {
  options.live.tell_means = options.verbose > 0;
  LiveTrace trace(options.live,
                  {.command = call.words,
                   .path = std::string(call.config.search_path()),
                   .program = std::string(call.messages.program()),
                   .samples = std::move(setup),
                   .to_file = !options.output.empty()},
                  call.messages);
  auto done = trace.run(out);
  if (!done && done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
    done.error().hint = nearest_program_hint(call.words.front(), program_places(call));
  return done;
}

bool records_only(const Invocation& call) { return !call.words.empty() && call.words[0] == "record"; }

// Errors (Usage): the kernel's types only describe calls traced live.
Result<> check_force_btf(const TraceOptions& options) {
  if (!options.live.kernel_types || options.input.empty()) return {};
  return fail(ErrorKind::Usage, "--force-btf cannot be combined with -i: recordings do not contain the structs");
}

// Errors (Usage): the kernel does not aggregate the other chosen data.
Result<> settle_bpf_summary(TraceOptions& options, const Invocation& call) {
  if (!options.live.kernel_sums.value_or(false)) return {};
  TraceRequest& request = options.live.trace;
  if (!options.input.empty())
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with -i: it does not read recordings");
  if (records_only(call))
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with record: nothing is recorded");
  if (request.summary_too)
    return fail(ErrorKind::Usage, "--bpf-summary cannot be combined with -S: calls are not shown one by one");
  request.summary = true;
  if (!request.wants_samples() && request.wants_calls()) return {};
  return fail(ErrorKind::Usage,
              "--bpf-summary needs system calls, and cannot be combined with options that need samples (--call-graph "
              "lbr, --kernel-syscall-graph, --switch-on, --min-stack, -e EVENT/freq=N/)");
}

// Errors (Usage): the kernel adds up all calls, and a recording keeps all.
Result<> check_report(const TraceRequest& request, const Invocation& call) {
  if (!request.report.any()) return {};
  if (request.summing() || records_only(call))
    return fail(ErrorKind::Usage, "--where, --format and --agg cannot be combined with {}",
                request.summing() ? "-s and -S: write --agg 'count, avg(duration) by name'" : "record");
  return {};
}

}  // namespace

Result<int> run_trace(TraceOptions& options, Invocation& call) {
  TraceRequest& request = options.live.trace;
  tell_problems(request.sources, call.messages);
  if (!options.dumped_map.empty()) {
    // BPF objects as events are not supported, so there are no maps to dump.
    call.messages.verbatim(fmt::format("ERROR: BPF map \"{}\" not found\n", options.dumped_map));
    return 255;
  }
  if (request.errno_summary && !request.summing()) request.summary = true;
  PEREGRINE_TRY(check_force_btf(options));
  PEREGRINE_TRY(settle_bpf_summary(options, call));
  PEREGRINE_TRY(check_report(request, call));
  if (auto chains = request.chains(); !chains) return std::unexpected(std::move(chains.error()));
  if (records_only(call)) return record_trace(options, call);
  auto output = open_output(options.output);
  if (!output) return std::unexpected(std::move(output.error()));
  Sink out(output->fd);
  out.set_file(options.output);
  SampleSetup setup{.symbols = symbol_request({.force = options.force}, call.config),
                    .terminal = ::isatty(output->fd) != 0};
  if (!options.input.empty()) return trace_recording(options, setup, out, call);
  return trace_live(options, std::move(setup), out, call);
}

}  // namespace peregrine::cmd
