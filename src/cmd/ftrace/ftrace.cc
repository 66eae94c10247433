// ftrace: the kernel's own function tracers: every call as a line or a tree, or only how long calls take.
#include <fmt/ranges.h>
#include <fnmatch.h>

#include "base/text/counted.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "cmd/command_table.h"
#include "cmd/ftrace/ftrace_options.h"
#include "cmd/ftrace/ftrace_reader.h"
#include "sys/kernel/tracefs.h"

namespace peregrine::cmd {
namespace {

Result<int> list_functions(const Tracefs& tracefs, const std::string& glob, Invocation& call) {
  const auto text = TraceFolder(Root(), tracefs.mount()).read("available_filter_functions");
  if (!text) return std::unexpected(text.error());
  for (const std::string& function : listed_items(*text))
    if (::fnmatch(glob.c_str(), function.c_str(), 0) == 0) call.out.append(function).append('\n');
  return 0;
}

// "sched:sched_switch" and globs as folders of events/.
Result<std::vector<std::string>> event_folders(const Tracefs& tracefs, const std::vector<std::string>& events) {
  std::vector<std::string> folders;
  for (const std::string& word : events) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos)
      return fail(ErrorKind::Usage, "-e: '{}' is not a tracepoint (expected system:event)", word);
    const std::string system_glob = word.substr(0, colon), event_glob = word.substr(colon + 1);
    const std::size_t before = folders.size();
    for (const std::string& system : tracefs.systems()) {
      if (::fnmatch(system_glob.c_str(), system.c_str(), 0) != 0) continue;
      for (const std::string& event : tracefs.events(system))
        if (::fnmatch(event_glob.c_str(), event.c_str(), 0) == 0) folders.push_back(system + "/" + event);
    }
    if (folders.size() == before)
      return std::unexpected(Error{ErrorKind::NotFound, fmt::format("-e: no tracepoint {}", word)}.with_hint(
          "`list tracepoint` shows them"));
  }
  return folders;
}

class FtraceRun {
 public:
  FtraceRun(FtraceMode mode, const FtraceOptions& options, Invocation& call)
      : options_(options), call_(call), reader_(mode, options, call.out) {}

  Result<int> run(const Tracefs& tracefs, TracerPlan plan, bool shows_header);

 private:
  void tell_start(const TracerPlan& plan, const TracerSession& session);
  Result<> trace(TracerSession& session, Watch& watch, Workload* workload);
  // What is there now, at most so many reads: a busy kernel writes as fast as we read.
  Result<> drain(TracerSession& session, unsigned most = ~0u) {
    for (bool more = true; more && most != 0; --most) {
      auto read = session.read(text_);
      if (!read) return std::unexpected(std::move(read.error()));
      more = *read;
      reader_.take(text_);
    }
    return {};
  }

  const FtraceOptions& options_;
  Invocation& call_;
  FtraceReader reader_;
  std::string text_;
};

Result<> FtraceRun::trace(TracerSession& session, Watch& watch, Workload* workload) {
  constexpr std::chrono::milliseconds kRound(100);
  constexpr unsigned kReads = 16;
  if (options_.delay_ms == 0) PEREGRINE_TRY(session.on());
  if (workload != nullptr) PEREGRINE_TRY(workload->release());
  auto begin = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.delay_ms);
  bool started = options_.delay_ms == 0;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(begin - std::chrono::steady_clock::now());
    const auto seen = watch.wait(started ? kRound : std::clamp(left, std::chrono::milliseconds(0), kRound));
    if (!seen) return std::unexpected(seen.error());
    if (!started && std::chrono::steady_clock::now() >= begin) {
      PEREGRINE_TRY(session.on());
      started = true;
    }
    PEREGRINE_TRY(drain(session, kReads));
    PEREGRINE_TRY(call_.out.flush());
    if (!seen->signals.empty() || seen->workload || (workload != nullptr && workload->ended_now())) break;
  }
  PEREGRINE_TRY(session.off());
  return drain(session);
}

void FtraceRun::tell_start(const TracerPlan& plan, const TracerSession& session) {
  const std::string& folder = session.folder().path();
  if (options_.verbose > 0) call_.messages.note(fmt::format("tracing with {} in {}", plan.tracer, folder));
  if (!session.replaced().empty())
    call_.messages.warning(fmt::format("'{}' replaces the tracer '{}', which was running in {}, until this trace ends",
                                       plan.tracer, session.replaced(), folder),
                           "-T FUNCTION traces in an instance that disturbs nobody");
  if (!session.unrecorded().empty())
    call_.messages.warning(
        fmt::format("tracing in {} would not end if this program and its guard process were killed "
                    "together: {}",
                    folder, session.unrecorded()));
}

Result<int> FtraceRun::run(const Tracefs& tracefs, TracerPlan plan, bool shows_header) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(call_.words, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  if (workload && !options_.target.system_wide && options_.target.cpus.empty() && plan.threads.empty())
    plan.threads = {workload->pid()};
  auto session = TracerSession::start(Root(), tracefs.mount(), plan);
  if (!session) return std::unexpected(std::move(session.error()));
  tell_start(plan, *session);
  if (shows_header) {
    if (const auto header = session->folder().read("trace")) call_.out.append(*header);
  }
  watch->set_notice(session->fd());
  const auto traced = trace(*session, *watch, workload ? &*workload : nullptr);
  const std::vector<std::string> refused = session->end();
  if (!refused.empty())
    call_.messages.warning(fmt::format("could not put back in {}: {}", tracefs.mount(), fmt::join(refused, ", ")));
  if (!traced) return std::unexpected(traced.error());
  PEREGRINE_TRY(reader_.finish());
  if (reader_.lost() != 0)
    call_.messages.warning(
        fmt::format("{} lost: the buffer was full", counted(reader_.lost(), "entry was", "entries were")),
        "give it more (-m 16M), trace fewer functions, or one command instead of all CPUs");
  return 0;
}

// latency and profile measure with the graph tracer, whose filter is the functions themselves.
Result<> measure(FtraceMode mode, TracerPlan& plan) {
  if (mode == FtraceMode::Trace) return {};
  if (mode == FtraceMode::Latency && plan.functions.size() != 1)
    return std::unexpected(
        Error{ErrorKind::Usage, "Should provide a function to measure"}.with_hint("ftrace latency -T vfs_read"));
  plan.tracer = "function_graph";
  plan.options.emplace_back("funcgraph-tail", true);
  return {};
}

}  // namespace

Result<int> run_ftrace(FtraceOptions& options, Invocation& call) {
  FtraceMode mode = FtraceMode::Trace;
  if (!call.words.empty()) {
    const std::string& word = call.words.front();
    const bool is_mode = word == "trace" || word == "latency" || word == "profile";
    if (word == "latency") mode = FtraceMode::Latency;
    if (word == "profile") mode = FtraceMode::Profile;
    if (is_mode) {
      const std::span<const std::string> behind = std::span(call.words).subspan(1);
      auto parsed = parse_options(call.command.options, Words::StopAtFirst, behind, &options, kOwner<FtraceOptions>);
      if (!parsed) return std::unexpected(std::move(parsed.error()));
      if (parsed->asked != Asked::Run) return answer(call, *parsed);
      call.words = std::move(parsed->words);
    }
  }
  auto tracefs = Tracefs::find(Root());
  if (!tracefs) return std::unexpected(std::move(tracefs.error()));
  if (options.list) return list_functions(*tracefs, *options.list, call);
  const bool some_cpus = !options.target.cpus.empty();
  const bool nobody = call.words.empty() && options.target.pids.empty() && options.target.tids.empty() && !some_cpus;
  if (nobody) options.target.system_wide = true;
  const auto target = make_target(Root(), options.target);
  if (!target) return std::unexpected(target.error());
  auto plan = tracer_plan(options, *target, some_cpus);
  if (!plan) return std::unexpected(std::move(plan.error()));
  auto events = event_folders(*tracefs, options.events);
  if (!events) return std::unexpected(std::move(events.error()));
  plan->events = std::move(*events);
  PEREGRINE_TRY(measure(mode, *plan));
  if (options.use_bpf) call.messages.note("-b: measured with the graph tracer; the answer is the same");
  return FtraceRun(mode, options, call).run(*tracefs, std::move(*plan), mode == FtraceMode::Trace);
}

}  // namespace peregrine::cmd
