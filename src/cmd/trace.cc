// trace: system calls of a command, of processes or of the whole machine, as they happen, and what they sum up to.
#include <fcntl.h>
#include <unistd.h>

#include "cmd/event_sources.h"
#include "cmd/nearest_file.h"
#include "cmd/trace_session.h"

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

Result<Output> open_output(const TraceRequest& request) {
  Output output;
  if (request.output.empty()) return output;
  auto file = open_file(request.output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!file) return std::unexpected(std::move(file.error()));
  output.file = std::move(*file);
  output.fd = output.file.get();
  return output;
}

void tell_losses(u64 lost, const TraceRequest& request, Messages& messages) {
  if (lost == 0) return;
  messages.warning(fmt::format("{} system calls were lost: the ring was full", lost),
                   request.summary ? std::string() : "give a larger ring (-m 64M), or choose calls (-e)");
}

Result<int> trace_live(TraceRequest& request, Invocation& call) {
  auto target = choose_target(request, call);
  if (!target) return std::unexpected(std::move(target.error()));
  auto output = open_output(request);
  if (!output) return std::unexpected(std::move(output.error()));
  Sink out(output->fd);
  TracePrinter printer(request, out, true, ::isatty(output->fd) != 0);
  TraceSession session(request, std::move(*target), call.words, call.messages);
  if (auto done = session.run(printer, out); !done) {
    static_cast<void>(out.flush());
    if (done.error().system_errno == ENOENT && !call.words.empty() && done.error().hint.empty())
      done.error().hint = nearest_program_hint(call.words.front(), call.config.variable("PATH").value_or(""));
    return std::unexpected(std::move(done.error()));
  }
  if (request.summing()) printer.write_summary();
  PEREGRINE_TRY(out.flush());
  tell_losses(session.lost(), request, call.messages);
  return 0;
}

}  // namespace

Result<int> run_trace(TraceRequest& request, Invocation& call) {
  tell_problems(request.sources, call.messages);
  if (!request.events.empty())
    return fail(ErrorKind::Unsupported, "{}: events beside system calls are not traced yet", request.events[0].name);
  if (request.errno_summary && !request.summing()) request.summary = true;
  return trace_live(request, call);
}

}  // namespace peregrine::cmd
