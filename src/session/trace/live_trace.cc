#include "session/trace/live_trace.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "output/sink.h"
#include "session/recording/symbol_request.h"
#include "session/trace/trace_fields.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_session.h"
#include "sys/process/cgroup.h"

namespace peregrine {

Result<Target> LiveTrace::choose_target() {
  for (const std::string& dropped : drop_overridden(trace_.target))
    listener_.verbatim(fmt::format("Warning:\n{}\n", dropped));
  TargetRequest target = trace_.target;
  const bool has_threads = !target.pids.empty() || !target.tids.empty();
  const bool everybody = setup_.command.empty() && !has_threads;
  if (!target.user.empty() || !trace_.cgroup.empty() || everybody) target.system_wide = true;
  target.user.clear();
  if (!has_threads && !target.cpus.empty()) target.system_wide = true;
  return make_target(trace_.sources.root(), target);
}

void LiveTrace::report_losses(u64 lost, u64 lost_hits) {
  if (lost_hits != 0)
    listener_.warning(
        fmt::format("{} lost: a buffer was full", counted(lost_hits, "other event was", "other events were")),
        "use larger buffers (-m 64M)");
  if (lost == 0) return;
  listener_.warning(fmt::format("{} lost: the buffer was full", counted(lost, "system call was", "system calls were")),
                    trace_.summary ? "" : "use a larger buffer (-m 64M), or trace fewer calls (-e)");
}

Result<int> LiveTrace::trace_by_programs(const Target& target, Sink& out, bool& started) {
  TracePrinter printer(trace_, out, true, setup_.samples.terminal);
  if (request_.kernel_types) PEREGRINE_TRY(printer.take_kernel_types());
  if (report_) printer.use(*report_);
  TraceSession session(trace_,
                       {.target = target,
                        .command = setup_.command,
                        .path = setup_.path,
                        .places = live_symbol_places(setup_.samples.symbols.folders),
                        .spare_terminals = !setup_.to_file,
                        .tell_means = request_.tell_means},
                       listener_);
  auto done = session.run(printer, out);
  started = session.started();
  if (!done) {
    static_cast<void>(out.flush());
    return std::unexpected(std::move(done.error()));
  }
  printer.finish_report();
  if (trace_.summing()) printer.write_summary();
  PEREGRINE_TRY(out.flush());
  report_losses(session.lost(), session.lost_hits());
  if (request_.file_counts)
    listener_.verbatim(fmt::format("Stats:\n  vfs_getname : 0\n proc_getname: {}\n", printer.files().asked()));
  return 0;
}

Result<> LiveTrace::make_report() {
  if (!trace_.report.any()) return {};
  TraceFieldList fields(trace_);
  PEREGRINE_TRY(fields.add_events(trace_));
  auto report = TraceReport::make(trace_.report, fields);
  if (!report) return std::unexpected(std::move(report.error()));
  report_ = std::move(*report);
  return {};
}

Result<int> LiveTrace::run(Sink& out) {
  PEREGRINE_TRY(make_report());
  auto target = choose_target();
  if (!target) return std::unexpected(std::move(target.error()));
  if (!trace_.cgroup.empty()) {
    const auto cgroup = unified_cgroup(trace_.sources.root(), trace_.cgroup);
    if (!cgroup) return std::unexpected(cgroup.error());
  }
  const bool programs_allowed = request_.kernel_sums.value_or(true) || !trace_.summing();
  bool programs_failed = false;
  if (!trace_.wants_samples() && trace_.wants_calls() && programs_allowed) {
    bool started = false;
    auto done = trace_by_programs(*target, out, started);
    if (done || started || request_.kernel_sums.value_or(false) || request_.kernel_types) return done;
    programs_failed = true;
    if (request_.tell_means)
      listener_.note(fmt::format("tracing system calls with raw_syscalls samples, which show addresses only: {}",
                                 done.error().message));
  } else if (request_.tell_means) {
    listener_.note(trace_.wants_calls()
                       ? "tracing system calls with raw_syscalls samples, because other requested options need them"
                       : "not tracing system calls; sampling other events");
  }
  auto sampled = trace_by_samples(trace_,
                                  {.samples = setup_.samples,
                                   .target = std::move(*target),
                                   .command = setup_.command,
                                   .program = setup_.program,
                                   .report = std::move(report_)},
                                  out, listener_);
  if (!sampled && programs_failed && sampled.error().kind == ErrorKind::Denied)
    sampled.error().hint = "run as root, or give this program CAP_BPF and CAP_PERFMON: 'perf check' shows the command";
  return sampled;
}

}  // namespace peregrine
