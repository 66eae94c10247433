#include "session/ftrace/ftrace_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/counted.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "capture/tracer/tracer_plan.h"
#include "capture/tracer/tracer_session.h"
#include "session/ftrace/event_histogram.h"
#include "session/ftrace/ftrace_reader.h"
#include "session/ftrace/tracer_settings.h"
#include "sys/root.h"

namespace peregrine {

namespace {

class FtraceRun {
 public:
  FtraceRun(const FtraceRequest& request, TextPairRequest pair, SessionListener& listener, Sink& out)
      : request_(request), listener_(listener), out_(out), reader_(request, std::move(pair), out) {}

  Result<> run(const Tracefs& tracefs, TracerPlan plan);

 private:
  void tell_start(const TracerPlan& plan, const TracerSession& session);
  Result<> trace(TracerSession& session, Watch& watch, Workload* workload);
  // Reads what is available now, at most this many times: a busy kernel writes as fast as we read.
  Result<> drain(TracerSession& session, unsigned most = ~0u) {
    for (bool more = streams_; more && most != 0; --most) {
      auto read = session.read(text_);
      if (!read) return std::unexpected(std::move(read.error()));
      more = *read;
      reader_.take(text_);
    }
    return {};
  }

  // Prints results that are complete only at the end: the worst latency, and histograms.
  Result<> print_final(const TracerPlan& plan, const TracerSession& session);

  const FtraceRequest& request_;
  SessionListener& listener_;
  Sink& out_;
  FtraceReader reader_;
  std::string text_;
  bool streams_ = true;  // false: the trace is read once, at the end
};

Result<> FtraceRun::trace(TracerSession& session, Watch& watch, Workload* workload) {
  constexpr std::chrono::milliseconds kRound(100);
  constexpr unsigned kReads = 16;
  if (request_.delay_ms == 0) PEREGRINE_TRY(session.on(request_.mark));
  if (workload != nullptr) PEREGRINE_TRY(workload->release());
  watch.end_after(request_.limit);
  auto begin = std::chrono::steady_clock::now() + std::chrono::milliseconds(request_.delay_ms);
  bool started = request_.delay_ms == 0;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(begin - std::chrono::steady_clock::now());
    const auto seen = watch.wait(started ? kRound : std::clamp(left, std::chrono::milliseconds(0), kRound));
    if (!seen) return std::unexpected(seen.error());
    if (!started && std::chrono::steady_clock::now() >= begin) {
      PEREGRINE_TRY(session.on(request_.mark));
      started = true;
    }
    PEREGRINE_TRY(drain(session, kReads));
    PEREGRINE_TRY(out_.flush());
    if (!seen->signals.empty() || seen->workload || (workload != nullptr && workload->ended_now())) break;
  }
  PEREGRINE_TRY(session.off());
  return drain(session);
}

// The header without "# entries-in-buffer/entries-written: 0/0 …" and the empty line "#" behind it: a trace that starts
// has no entries.
std::string without_counts(std::string header) {
  const std::size_t begin = header.find("# entries-in-buffer");
  if (begin == std::string::npos) return header;
  const std::size_t end = header.find("\n#\n", begin);
  return end == std::string::npos ? header : header.erase(begin, end + 3 - begin);
}

void FtraceRun::tell_start(const TracerPlan& plan, const TracerSession& session) {
  const std::string& folder = session.folder().path();
  if (request_.verbose > 0) listener_.note(fmt::format("tracing with {} in {}", plan.tracer, folder));
  if (!session.replaced().empty())
    listener_.warning(fmt::format("'{}' replaces the tracer '{}', which was running in {}, until this trace ends",
                                  plan.tracer, session.replaced(), folder),
                      "-T FUNCTION traces in a separate instance");
  if (!session.unrecorded().empty())
    listener_.warning(fmt::format("tracing in {} continues if this program and its guard process are both killed: {}",
                                  folder, session.unrecorded()));
}

Result<> FtraceRun::print_final(const TracerPlan& plan, const TracerSession& session) {
  const TraceFolder& folder = session.folder();
  if (!streams_) {
    const auto worst = folder.read("trace");
    if (!worst) return std::unexpected(worst.error());
    out_.append(*worst);
  }
  return print_event_histograms(folder, plan.triggers, out_);
}

Result<> FtraceRun::run(const Tracefs& tracefs, TracerPlan plan) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(request_.command, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (workload && !request_.target.system_wide && request_.target.cpus.empty() && plan.threads.empty())
    plan.threads = {workload->pid()};
  auto session = TracerSession::start(Root(), tracefs.mount(), plan);
  if (!session) return std::unexpected(std::move(session.error()));
  tell_start(plan, *session);
  streams_ = !plan.measures_latency();
  if (request_.mode == FtraceMode::Trace && streams_) {
    const auto header = session->folder().read("trace");
    if (!header) return std::unexpected(header.error());
    out_.append(without_counts(*header));
  }
  watch->set_notice(session->fd());
  auto traced = trace(*session, *watch, workload ? &*workload : nullptr);
  if (traced) traced = print_final(plan, *session);
  const std::vector<std::string> refused = session->end();
  if (!refused.empty())
    listener_.warning(fmt::format("cannot restore in {}: {}", tracefs.mount(), fmt::join(refused, ", ")));
  if (!traced) return std::unexpected(traced.error());
  reader_.finish();
  if (const u64 keyless = reader_.pairs().keyless(); keyless != 0)
    listener_.warning(
        fmt::format("{} not paired: {} no field '{}'", counted(keyless, "event was", "events were"),
                    keyless == 1 ? "it has" : "they have", request_.key),
        "--key A,B names a field of each event, as the kernel prints it; `ftrace trace -t nop -e EVENT` shows it");
  if (request_.measures_events())
    listener_.note(fmt::format("not paired: {} without an end, {} without a start",
                               counted(reader_.pairs().without_end(), "start"),
                               counted(reader_.pairs().without_start(), "end")));
  if (reader_.lost() != 0)
    listener_.warning(fmt::format("{} lost: the buffer was full", counted(reader_.lost(), "entry was", "entries were")),
                      "use a larger buffer (-m 16M), trace fewer functions, or trace one command");
  return {};
}

}  // namespace

Result<> trace_functions(FtraceRequest request, const Tracefs& tracefs, SessionListener& listener, Sink& out) {
  TargetRequest& target = request.target;
  if (request.command.empty() && target.pids.empty() && target.tids.empty() && target.cpus.empty())
    target.system_wide = true;
  const auto observed = make_target(Root(), target);
  if (!observed) return std::unexpected(observed.error());
  auto plan = tracer_plan(request, *observed, tracefs);
  if (!plan) return std::unexpected(std::move(plan.error()));
  if (request.use_bpf) listener.note("-b: measuring with the graph tracer instead; results are the same");
  return FtraceRun(request, event_pair(request, *plan), listener, out).run(tracefs, std::move(*plan));
}

}  // namespace peregrine
