#include "session/trace/trace_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <expected>
#include <iterator>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/target/end_if_stuck.h"
#include "capture/target/target.h"
#include "capture/target/workload.h"
#include "event/config/callgraph.h"
#include "event/syscall/signature.h"
#include "output/sink.h"
#include "session/trace/trace_printer.h"
#include "sys/process/cgroup.h"
#include "sys/process/narrow_program.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBusy{4}, kIdle{50};  // interval between polls of the ring
constexpr milliseconds kTraceTargetCheck{100};
constexpr unsigned kUsualBuffer = 32, kMostCallerFrames = 127;

// The process that displays our output: tracing it would never end.
std::vector<Pid> terminals_above() {
  constexpr std::string_view kTerminals[] = {"sshd", "sshd-session", "gnome-terminal-", "tmux: server", "screen"};
  std::vector<Pid> found;
  const Root root;
  for (auto status = status_of(root, ::getpid()); status && status->ppid > 1;) {
    const Pid parent = status->ppid;
    status = status_of(root, parent);
    if (status && std::ranges::find(kTerminals, status->comm) != std::end(kTerminals)) found.push_back(parent);
  }
  return found;
}

// The clock of the BPF programs.
u64 monotonic_now() {
  return static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

Result<SyscallTracer> TraceSession::open_tracer() const {
  SyscallTraceOptions options;
  options.following = setup_.target.kind != TargetKind::Cpus;
  options.children = request_.inherit;
  options.chosen = request_.calls.chosen(Signatures(abi::syscall_set(abi::kHostArch)));
  options.chosen_narrow = request_.calls.chosen(Signatures(abi::syscall_set(abi::kHostArch, true)));
  options.writing = !request_.summary;
  options.summing = request_.summing();
  options.sum_by = request_.summary_by;
  options.sum_errors = request_.errno_summary;
  options.buffer_bytes = request_.buffer_bytes.value_or(kUsualBuffer);
  options.only_failed = request_.only_failed;
  options.least_duration = request_.least_ns();
  if (!request_.target.user.empty()) options.user = leading_number<u32>(request_.target.user).value_or(0);
  if (!request_.target.cpus.empty()) options.cpus = setup_.target.cpus;
  if (!request_.cgroup.empty()) {
    auto cgroup = unified_cgroup(Root(), request_.cgroup);
    if (!cgroup) return std::unexpected(std::move(cgroup.error()));
    options.cgroup = *cgroup;
  }
  options.narrow = request_.calls.any() && has_narrow_programs();
  options.excluded = hidden_;
  options.ring_bytes = request_.ring_bytes;
  const auto chains = request_.chains();
  if (!chains) return std::unexpected(chains.error());
  if (chains->mode == CallgraphMode::FramePointer) options.caller_frames = kMostCallerFrames;
  if (chains->mode == CallgraphMode::Dwarf) options.caller_stack_bytes = chains->stack_bytes;
  return SyscallTracer::open(Root(), options);
}

bool TraceSession::has_narrow_programs() const {
  const Root& root = request_.sources.root();
  const auto runs_one = [&](Pid process) { return runs_narrow_program(root, process); };
  if (!setup_.command.empty() && is_narrow_command(setup_.command.front(), setup_.path)) return true;
  if (setup_.target.kind == TargetKind::Cpus) return std::ranges::any_of(all_processes(root), runs_one);
  return setup_.target.kind == TargetKind::Threads && std::ranges::any_of(setup_.target.threads, runs_one);
}

void TraceSession::notice_narrow(SyscallTracer& tracer) {
  const auto late = tracer.notice_narrow();
  if (!late)
    listener_.warning(fmt::format("cannot trace calls of 32-bit programs: {}", late.error().message));
  else if (*late)
    listener_.warning("a 32-bit program started: its first calls were missed",
                      "trace all calls, or more than eight, to miss none");
}

Result<> TraceSession::follow_targets(SyscallTracer& tracer, const std::optional<Workload>& workload) const {
  if (setup_.target.kind == TargetKind::Threads)
    for (const Pid thread : setup_.target.threads) PEREGRINE_TRY(tracer.follow(thread, false));
  if (workload && setup_.target.kind == TargetKind::Workload)
    PEREGRINE_TRY(tracer.follow(workload->pid(), request_.delay_ms == 0));
  return {};
}

Result<> TraceSession::open_hits(const std::optional<Workload>& workload, TracePrinter& printer) {
  if (!request_.wants_hits()) return {};
  hits_.emplace(request_, printer, hidden_);
  return hits_->open(setup_.target, workload, std::move(setup_.places));
}

bool TraceSession::drain(SyscallTracer& tracer, TracePrinter& printer, bool last) {
  return hits_ ? hits_->drain(tracer, last) : tracer.drain(printer);
}

Result<> TraceSession::run(TracePrinter& printer, Sink& out) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  const EndIfStuck end_if_stuck(*watch);
  auto started = start_watched(setup_.command, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  hidden_ = request_.excluded;
  if (setup_.target.kind == TargetKind::Cpus && setup_.spare_terminals)
    std::ranges::copy(terminals_above(), std::back_inserter(hidden_));
  auto tracer = open_tracer();
  if (!tracer) return std::unexpected(std::move(tracer.error()));
  // The workload waits before its exec until everything is attached.
  PEREGRINE_TRY(open_hits(workload, printer));
  if (setup_.tell_means)
    listener_.note(
        fmt::format("tracing system calls with {}{}", tracer->means(), hits_ ? ", and sampling other events" : ""));
  PEREGRINE_TRY(follow_targets(*tracer, workload));
  started_ = true;
  PEREGRINE_TRY(start(*tracer, workload, *watch, printer));
  PEREGRINE_TRY(follow(*tracer, workload, *watch, printer, out));
  // Stop, then the last drain, then the sums: nothing is added between the last two.
  tracer->stop();
  if (hits_) PEREGRINE_TRY(hits_->stop());
  drain(*tracer, printer, true);
  printer.flush();
  if (workload) {
    if (!workload->ended_now()) workload->send(signal_ == 0 ? SIGTERM : signal_);
    PEREGRINE_TRY(workload->exec_result());
    exit_ = workload->wait();
  }
  for (const CallSum& sum : tracer->sums()) printer.summary().add(sum);
  lost_ = tracer->lost();
  return {};
}

Result<> TraceSession::start(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch,
                             TracePrinter& printer) {
  const bool at_once = request_.delay_ms <= 0;
  watch.end_after(request_.limit);
  if (at_once) PEREGRINE_TRY(switch_on(tracer, printer, workload && setup_.target.kind == TargetKind::Workload));
  if (workload) PEREGRINE_TRY(workload->let_go());
  if (at_once) return {};
  auto seen = watch.wait(milliseconds(request_.delay_ms));
  if (!seen) return std::unexpected(std::move(seen.error()));
  if (!seen->signals.empty()) signal_ = seen->signals.back();
  return switch_on(tracer, printer, false);
}

Result<> TraceSession::switch_on(SyscallTracer& tracer, TracePrinter& printer, bool by_exec) {
  // The kernel then passes on only some calls, when they end: the first one may have begun after others.
  if (request_.least_ns() != 0 || request_.only_failed) printer.begin_at(monotonic_now());
  tracer.start();
  if (hits_ && !by_exec) return hits_->start();
  return {};
}

Result<> TraceSession::follow(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch,
                              TracePrinter& printer, Sink& out) {
  using Clock = std::chrono::steady_clock;
  const bool watches_target = !workload && setup_.target.kind == TargetKind::Threads;
  auto next_check = Clock::now() + kTraceTargetCheck;
  milliseconds pause = kBusy;
  while (signal_ == 0) {
    auto seen = watch.wait(pause);
    if (!seen) return std::unexpected(std::move(seen.error()));
    if (!seen->signals.empty()) signal_ = seen->signals.back();
    notice_narrow(tracer);
    const u64 before = printer.shown();
    const bool goes_on = drain(tracer, printer, false);
    printer.flush();
    printer.tick(monotonic_now());
    PEREGRINE_TRY(out.flush());
    if (!goes_on || seen->workload || (workload && workload->ended_now())) return {};
    // Polls, because records come without wake-ups (syscall_tracer.h): often while there is output, ever more rarely
    // when idle.
    pause = printer.shown() != before ? kBusy : std::min(pause * 2, kIdle);
    if (!watches_target || Clock::now() < next_check) continue;
    if (targets_are_gone()) return {};
    next_check = Clock::now() + kTraceTargetCheck;
  }
  return {};
}

bool TraceSession::targets_are_gone() const {
  const Root root;
  return std::ranges::none_of(setup_.target.threads, [&](Pid thread) { return status_of(root, thread).has_value(); });
}

}  // namespace peregrine
