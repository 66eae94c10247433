#include "session/trace/sampled_trace.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <thread>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record_rows.h"
#include "base/fd.h"
#include "base/guarded.h"
#include "base/number/number_list.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/end_if_stuck.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/recording/losses.h"
#include "session/recording/opened_recording.h"
#include "session/recording/recorded_calls.h"
#include "session/trace/record_arguments.h"
#include "session/trace/trace_fields.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"
#include "session/trace/trace_stream.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

namespace {

// Controls the recorder from a separate thread while the main thread reads the data: starts the command when the events
// are enabled, and stops the recorder when the command ends or a signal arrives.
class StreamSteering {
 public:
  StreamSteering(TraceStream& stream, Watch& watch, std::optional<Workload>& workload, const TraceRequest& request)
      : thread_([this, &stream, &watch, &workload, &request] {
          if (!guarded([&] { return run(stream, watch, workload, request); })) stream.stop();
        }) {}
  ~StreamSteering() { end(); }
  void end() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  Result<> run(TraceStream& stream, Watch& watch, std::optional<Workload>& workload, const TraceRequest& request) {
    using std::chrono::milliseconds;
    const i64 delay_ms = request.delay_ms;
    if (delay_ms > 0) {
      if (workload) static_cast<void>(workload->let_go());
      static_cast<void>(watch.wait(milliseconds(delay_ms)));
    }
    if (!stream.enable()) return {};
    if (workload && delay_ms <= 0) static_cast<void>(workload->let_go());
    watch.end_after(request.limit);
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

std::vector<std::string> recorder_arguments(const TraceRequest& request, const Target& target,
                                            const std::optional<Workload>& workload) {
  std::vector<std::string> arguments = event_arguments(request);
  const bool of_workload = target.kind == TargetKind::Workload && workload;
  const auto whom = target_arguments(request.target, of_workload ? std::optional(workload->pid()) : std::nullopt);
  arguments.insert(arguments.end(), whom.begin(), whom.end());
  return arguments;
}

// -p and -t for a recording; a live trace limits events to these threads when it opens them.
Result<> choose_threads(const TargetRequest& target, SampleFilter& filter) {
  auto pids = parse_number_list(target.pids), tids = parse_number_list(target.tids);
  if (!pids) return std::unexpected(std::move(pids.error()));
  if (!tids) return std::unexpected(std::move(tids.error()));
  filter.pids = std::move(*pids);
  filter.tids = std::move(*tids);
  return {};
}

// The report of a trace, with the fields that the recording describes.
Result<TraceReport> recorded_report(const TraceRequest& request, OpenedRecording& recording) {
  TraceFieldList fields(request);
  const auto bytes = recording.read_feature(static_cast<u32>(data::FeatureId::TracingData));
  const auto tracing = bytes ? decode_tracing_data(*bytes) : Result<TracingData>(std::unexpected(bytes.error()));
  for (const data::Event& event : recording.evlist()) {
    if (!tracing || event.attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    if (const TraceFormat* format = tracing->find(static_cast<u32>(event.attr.config))) fields.add(*format);
  }
  return TraceReport::make(request.report, fields);
}

}  // namespace

Result<> show_samples(const TraceRequest& request, const SampleSetup& setup, OpenedRecording& recording, Sink& out,
                      TraceReplaySource source, SessionListener& listener) {
  const bool of_workload = source.workload >= 0, live = source.live;
  const abi::Arch arch = live ? abi::kHostArch : recorded_arch_or_host(recording);
  TracePrinter printer(request, out, live, setup.terminal, arch);
  printer.sum_up();
  if (!live && request.report.any()) {
    auto report = recorded_report(request, recording);
    if (!report) return std::unexpected(std::move(report.error()));
    source.report = std::move(*report);
  }
  if (source.report) printer.use(*source.report);
  TraceReplay lines(request, recording, printer, out, std::move(source));
  if (!request.switch_on.empty() || !request.switch_off.empty()) PEREGRINE_TRY(lines.use_switches());
  Machine machine(symbol_places(setup.symbols, recording, listener));
  ReplayOptions options;
  options.workers = 1;
  if (!live) PEREGRINE_TRY(choose_threads(request.target, options.filter));
  if (of_workload || options.filter.any()) options.shown.set(static_cast<std::size_t>(abi::RecordType::Comm));
  Replay replay(recording, machine, std::move(options));
  const Result<> outcome = replay.run(lines);
  printer.finish_report();
  if (request.summing()) printer.write_summary();
  PEREGRINE_TRY(out.flush());
  warn_about_losses(listener, replay.account(), recording.account());
  return outcome;
}

Result<int> trace_by_samples(const TraceRequest& request, const SampledTraceSetup& setup, Sink& out,
                             SessionListener& listener) {
  if (!request.cgroup.empty()) return fail(ErrorKind::Unsupported, "-G works only for system calls, and requires BPF");
  PEREGRINE_TRY(check_call_events(request));
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP});
  if (!watch) return std::unexpected(std::move(watch.error()));
  const EndIfStuck end_if_stuck(*watch);
  auto started = start_watched(setup.command, *watch);
  if (!started) return std::unexpected(std::move(started.error()));
  std::optional<Workload>& workload = *started;
  auto stream =
      TraceStream::start(setup.program, recorder_arguments(request, setup.target, workload), watch->previous_mask());
  if (!stream) return std::unexpected(std::move(stream.error()));
  Fd data = stream->take_data();
  StreamSteering steering(*stream, *watch, workload, request);
  auto reader = data::Reader::open_fd(std::move(data), "the trace");
  Result<> done;
  if (reader) {
    OpenedRecording recording(std::move(*reader));
    done = show_samples(request, setup.samples, recording, out,
                        {.live = true,
                         .workload = workload ? workload->pid() : -1,
                         .hidden = {::getpid(), stream->pid()},
                         .report = setup.report},
                        listener);
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

Result<> check_call_events(const TraceRequest& request) {
  if (!request.wants_calls() && !request.sched) return {};
  auto tracefs = Tracefs::find(request.sources.root());
  if (tracefs || tracefs.error().kind != ErrorKind::Denied) return {};
  return std::unexpected(std::move(tracefs.error()));
}

}  // namespace peregrine
