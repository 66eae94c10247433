#include "cmd/trace/trace_samples.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/guarded.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "cli/frame/parts.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/trace/trace_stream.h"
#include "data/header/recorded_arch.h"
#include "machine/machine.h"
#include "session/trace/trace_replay.h"
#include "sys/kernel/tracefs.h"

namespace peregrine::cmd {

namespace {

using Arguments = std::vector<std::string>;

// Reads to the end, and writes the summary.
Result<> replay_trace(const TraceOptions& options, OpenedRecording& reader, Sink& out, TraceReplaySource source,
                      bool terminal, Invocation& call) {
  const TraceRequest& request = options.request;
  const bool of_workload = source.workload >= 0;
  const abi::Arch arch = source.live ? abi::kHostArch : data::recorded_arch(reader.header().features);
  TracePrinter printer(request, out, source.live, terminal, arch == abi::Arch::Unknown ? abi::kHostArch : arch);
  printer.sum_up();
  TraceReplay lines(request, reader, printer, out, std::move(source));
  if (!request.switch_on.empty() || !request.switch_off.empty()) PEREGRINE_TRY(lines.use_switches());
  Machine machine(symbol_places({.force = options.force}, call, reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  if (of_workload) replay_options.shown.set(static_cast<std::size_t>(abi::RecordType::Comm));
  Replay replay(reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(lines);
  printer.flush();
  if (request.summing()) printer.write_summary();
  PEREGRINE_TRY(out.flush());
  warn_about_losses(call, replay.account(), reader.account());
  return outcome;
}

void add(Arguments& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

// System calls, as few of them as are shown.
void add_call_events(const TraceRequest& request, Arguments& words) {
  if (!request.wants_calls()) return;
  std::string filter;
  if (request.calls.any()) {
    const Signatures signatures(abi::syscall_set(abi::kHostArch));
    const std::vector<bool> chosen = request.calls.chosen(signatures);
    unsigned count = 0;
    for (std::size_t number = 0; number < chosen.size(); ++number)
      if (chosen[number] && !signatures.of(static_cast<u32>(number)).name.empty() && ++count <= 32)
        filter += fmt::format("{}id == {}", filter.empty() ? "" : " || ", number);
    if (count > 32) filter.clear();
  }
  for (const char* event : {"raw_syscalls:sys_enter", "raw_syscalls:sys_exit"}) {
    add(words, {"-e", event});
    if (!filter.empty()) add(words, {"--filter", filter});
  }
}

void add_fault_events(const TraceRequest& request, Arguments& words) {
  if (request.faults == "all" || request.faults == "maj") add(words, {"-e", "major-faults"});
  if (request.faults == "all" || request.faults == "min") add(words, {"-e", "minor-faults"});
  if (!request.faults.empty()) words.emplace_back("-d");
}

// Everything for `record` but whom.
Arguments event_words(const TraceOptions& options) {
  const TraceRequest& request = options.request;
  Arguments words{"-R", "-c", "1"};
  if (request.ring_bytes != 0) add(words, {"-m", fmt::format("{}B", request.ring_bytes)});
  if (!request.inherit) words.emplace_back("--no-inherit");
  if (const auto chains = request.chains(); !chains || chains->enabled())
    add(words, {"--call-graph", !request.call_graph.empty()            ? request.call_graph
                                : chains->mode == CallgraphMode::Dwarf ? "dwarf"
                                                                       : "fp"});
  add_call_events(request, words);
  add_fault_events(request, words);
  if (request.sched) add(words, {"-e", "sched:sched_stat_runtime"});
  words.insert(words.end(), options.event_words.begin(), options.event_words.end());
  return words;
}

Arguments target_words(const TraceRequest& request, const Target& target, const std::optional<Workload>& workload) {
  Arguments words;
  if (target.kind == TargetKind::Workload && workload) add(words, {"-p", fmt::format("{}", workload->pid())});
  if (!request.target.pids.empty()) add(words, {"-p", request.target.pids});
  if (!request.target.tids.empty()) add(words, {"-t", request.target.tids});
  if (!words.empty()) return words;
  if (!request.target.user.empty()) add(words, {"-u", request.target.user});
  if (!request.target.cpus.empty()) add(words, {"-C", request.target.cpus});
  if (words.empty()) words.emplace_back("-a");
  return words;
}

// Steers `record` while its data are read: lets the command go when events are on, ends it all on a signal.
class Steering {
 public:
  Steering(TraceStream& stream, Watch& watch, std::optional<Workload>& workload, i64 delay_ms)
      : thread_([this, &stream, &watch, &workload, delay_ms] {
          if (!guarded([&] { return run(stream, watch, workload, delay_ms); })) stream.stop();
        }) {}
  ~Steering() { end(); }
  void end() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  Result<> run(TraceStream& stream, Watch& watch, std::optional<Workload>& workload, i64 delay_ms) {
    using std::chrono::milliseconds;
    if (delay_ms > 0) {
      if (workload) static_cast<void>(workload->let_go());
      static_cast<void>(watch.wait(milliseconds(delay_ms)));
    }
    if (!stream.enable()) return {};
    if (workload && delay_ms <= 0) static_cast<void>(workload->let_go());
    bool stopped = false;
    while (!done_ && !stopped) {
      const auto seen = watch.wait(milliseconds(50));
      stopped = !seen || !seen->signals.empty() || seen->workload;
    }
    stream.stop();
    return {};
  }

  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// Errors (Denied): the system calls' tracepoints must not be read. `record` would show events that the user never
// typed.
Result<> check_call_events(const TraceRequest& request) {
  if (!request.wants_calls() && !request.sched) return {};
  auto tracefs = Tracefs::find(request.sources.root());
  if (tracefs || tracefs.error().kind != ErrorKind::Denied) return {};
  return std::unexpected(std::move(tracefs.error()));
}

}  // namespace

Result<int> trace_recording(const TraceOptions& options, Sink& out, bool terminal, Invocation& call) {
  const auto sandbox = enter_sandbox({.inputs = {options.input}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  PEREGRINE_TRY(replay_trace(options, *reader, out, {}, terminal, call));
  return 0;
}

Result<int> trace_by_samples(const TraceOptions& options, const Target& target, Sink& out, bool terminal,
                             Invocation& call) {
  const TraceRequest& request = options.request;
  if (!request.cgroup.empty())
    return fail(ErrorKind::Unsupported, "-G works for system calls alone, and needs BPF programs");
  PEREGRINE_TRY(check_call_events(request));
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto started = start_watched(call.words, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  Arguments words = event_words(options);
  const Arguments whom = target_words(request, target, workload);
  words.insert(words.end(), whom.begin(), whom.end());
  auto stream = TraceStream::start(call.messages.program(), std::move(words), watch->previous_mask());
  if (!stream) return std::unexpected(std::move(stream.error()));
  Fd data = stream->take_data();
  Steering steering(*stream, *watch, workload, request.delay_ms);
  auto reader = data::Reader::open_fd(std::move(data), "the trace");
  Result<> done;
  if (reader) {
    OpenedRecording recording(std::move(*reader));
    done =
        replay_trace(options, recording, out,
                     {.live = true, .workload = workload ? workload->pid() : -1, .hidden = {::getpid(), stream->pid()}},
                     terminal, call);
  }
  steering.end();
  const int code = stream->wait();
  if (!reader) return code != 0 ? code : Result<int>(std::unexpected(std::move(reader.error())));
  if (!done) return std::unexpected(std::move(done.error()));
  if (workload) {
    if (!workload->ended_now()) workload->send(SIGTERM);
    PEREGRINE_TRY(workload->exec_result());
    workload->wait();
  }
  return 0;
}

Result<int> record_trace(const TraceOptions& options, Invocation& call) {
  PEREGRINE_TRY(check_call_events(options.request));
  Arguments words{"-m", "1024"};
  const Arguments events = event_words(options);
  words.insert(words.end(), events.begin(), events.end());
  words.insert(words.end(), call.words.begin() + 1, call.words.end());
  Command named = kRecord;  // help and errors are those of the command that the user typed
  named.name = "trace record";
  return run_other(named, std::move(words), call);
}

}  // namespace peregrine::cmd
