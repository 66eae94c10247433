#include "cmd/trace_session.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iterator>

#include "sys/cgroup.h"

namespace peregrine::cmd {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBusy{4}, kIdle{50};  // between looks at the ring
constexpr milliseconds kTargetCheck{100};
constexpr unsigned kUsualBuffer = 32;
constexpr u64 kBeingWritten = 1'000'000;  // ns that a record may take from its time to its place in a ring

// Who shows our lines: tracing them as well would never end.
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

}  // namespace

Result<SyscallTracer> TraceSession::open_tracer() const {
  SyscallTraceOptions options;
  options.following = target_.kind != TargetKind::Cpus;
  options.children = request_.inherit;
  options.chosen = request_.calls.chosen(Signatures(abi::syscall_set(abi::kHostArch)));
  options.chosen_narrow = request_.calls.chosen(Signatures(abi::syscall_set(abi::kHostArch, true)));
  options.writing = !request_.summary;
  options.summing = request_.summing();
  options.sum_by = request_.summary_by;
  options.sum_errors = request_.errno_summary;
  options.buffer_bytes = request_.buffer_bytes.value_or(kUsualBuffer);
  options.only_failed = request_.only_failed;
  options.least_duration = static_cast<u64>(std::max(request_.least_ms, 0.0) * 1e6);
  if (!request_.target.user.empty()) {
    u32 user = 0;
    std::from_chars(request_.target.user.data(), request_.target.user.data() + request_.target.user.size(), user);
    options.user = user;
  }
  if (!request_.target.cpus.empty()) options.cpus = target_.cpus;
  if (!request_.cgroup.empty()) {
    auto cgroup = unified_cgroup(Root(), request_.cgroup);
    if (!cgroup) return std::unexpected(std::move(cgroup.error()));
    options.cgroup = *cgroup;
  }
  options.excluded = hidden_;
  options.ring_bytes = request_.ring_bytes;
  return SyscallTracer::open(Root(), options);
}

Result<> TraceSession::follow_targets(SyscallTracer& tracer, const std::optional<Workload>& workload) const {
  if (target_.kind == TargetKind::Threads)
    for (const Pid thread : target_.threads) PEREGRINE_TRY(tracer.follow(thread, false));
  if (workload && target_.kind == TargetKind::Workload)
    PEREGRINE_TRY(tracer.follow(workload->pid(), request_.delay_ms == 0));
  return {};
}

// Their clock is that of the BPF programs.
Result<> TraceSession::open_hits(const std::optional<Workload>& workload, TracePrinter& printer) {
  if (request_.events.empty()) return {};
  if (std::ranges::any_of(request_.events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(request_.sources, request_.events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    tracing_ = std::move(*tracing);
  }
  Target target = target_;
  if (workload && target.kind == TargetKind::Workload) target.set_workload(workload->pid());
  const HitOptions options{.children = request_.inherit,
                           .at_exec = target.kind == TargetKind::Workload && request_.delay_ms <= 0,
                           .ring_bytes = request_.ring_bytes};
  auto hits = HitStream::open(request_.events, target, perf_limits(request_.sources.root()), options);
  if (!hits) return std::unexpected(std::move(hits.error()));
  hits_.emplace(std::move(*hits));
  for (const EventSpec& spec : request_.events)
    events_.emplace_back(spec.name, spec.attr, tracing_ ? &*tracing_ : nullptr, request_);
  merge_.emplace(printer, [this, &printer](const EventHit& hit) { return show(hit, printer); });
  return {};
}

bool TraceSession::show(const EventHit& hit, TracePrinter& printer) {
  const auto is_hidden = [&](Pid pid) { return std::ranges::find(hidden_, pid) != hidden_.end(); };
  if (hit.pid == ::getpid() || is_hidden(hit.pid) || is_hidden(hit.tid)) return true;
  printer.count_event(hit.tid);
  TracedEvent& event = events_[hit.event];
  if (request_.summary || !event.take()) return true;
  return printer.event(hit.time, std::nullopt, true, hit.tid,
                       [&](ScriptText& text) { event.put(text, printer, hit.raw, kHostOrder); });
}

// Both hold everything older than the moment when the first was asked, but for what was just being written.
bool TraceSession::drain(SyscallTracer& tracer, TracePrinter& printer, bool last) {
  if (!merge_) return tracer.drain(printer);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  std::vector<EventHit> hits;
  hits_->drain(hits);
  merge_->add(std::move(hits));
  const bool goes_on = tracer.drain(*merge_);
  const u64 until = static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec) - kBeingWritten;
  return (last ? merge_->release_all() : merge_->release(until)) && goes_on;
}

Result<> TraceSession::run(TracePrinter& printer, Sink& out) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  std::optional<Workload> workload;
  if (!command_.empty()) {
    auto started = Workload::start(command_, watch->previous_mask());
    if (!started) return std::unexpected(std::move(started.error()));
    workload.emplace(std::move(*started));
    watch->set_workload(workload->fd());
  }
  hidden_ = request_.excluded;
  if (target_.kind == TargetKind::Cpus && request_.output.empty())
    std::ranges::copy(terminals_above(), std::back_inserter(hidden_));
  auto tracer = open_tracer();
  if (!tracer) return std::unexpected(std::move(tracer.error()));
  PEREGRINE_TRY(open_hits(workload, printer));
  if (request_.verbose > 0)
    messages_.note(fmt::format("system calls are traced by {}{}", tracer->means(),
                               hits_ ? ", other events are sampled beside them" : ""));
  PEREGRINE_TRY(follow_targets(*tracer, workload));
  started_ = true;
  PEREGRINE_TRY(start(*tracer, workload, *watch));
  PEREGRINE_TRY(follow(*tracer, workload, *watch, printer, out));
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

Result<> TraceSession::start(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch) {
  const bool at_once = request_.delay_ms <= 0;
  if (at_once) PEREGRINE_TRY(switch_on(tracer, workload && target_.kind == TargetKind::Workload));
  if (workload) PEREGRINE_TRY(workload->let_go());
  if (at_once) return {};
  auto seen = watch.wait(milliseconds(request_.delay_ms));
  if (!seen) return std::unexpected(std::move(seen.error()));
  if (!seen->signals.empty()) signal_ = seen->signals.back();
  return switch_on(tracer, false);
}

Result<> TraceSession::switch_on(SyscallTracer& tracer, bool by_exec) {
  tracer.start();
  if (hits_ && !by_exec) return hits_->start();
  return {};
}

Result<> TraceSession::follow(SyscallTracer& tracer, std::optional<Workload>& workload, Watch& watch,
                              TracePrinter& printer, Sink& out) {
  using Clock = std::chrono::steady_clock;
  const bool watches_target = !workload && target_.kind == TargetKind::Threads;
  auto next_check = Clock::now() + kTargetCheck;
  milliseconds pause = kBusy;
  while (signal_ == 0) {
    auto seen = watch.wait(pause);
    if (!seen) return std::unexpected(std::move(seen.error()));
    if (!seen->signals.empty()) signal_ = seen->signals.back();
    const u64 before = printer.shown();
    const bool goes_on = drain(tracer, printer, false);
    printer.flush();
    PEREGRINE_TRY(out.flush());
    if (!goes_on || seen->workload || (workload && workload->ended_now())) return {};
    pause = printer.shown() != before ? kBusy : std::min(pause * 2, kIdle);
    if (!watches_target || Clock::now() < next_check) continue;
    if (targets_are_gone()) return {};
    next_check = Clock::now() + kTargetCheck;
  }
  return {};
}

bool TraceSession::targets_are_gone() const {
  const Root root;
  return std::ranges::none_of(target_.threads, [&](Pid thread) { return status_of(root, thread).has_value(); });
}

}  // namespace peregrine::cmd
