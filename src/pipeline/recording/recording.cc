#include "pipeline/recording/recording.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include "capture/watch.h"
#include "pipeline/recording/output.h"
#include "pipeline/recording/synthesis.h"
#include "sys/limit.h"

namespace peregrine {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{1000};  // a killed recorder loses at most what a tick brings
constexpr int kNice = -20;           // measured under load: 84 % lost without, nothing with it

// The recorder must not wait behind what it observes. Refused without CAP_SYS_NICE, which is no error.
Result<> raise_priority(std::optional<int> real_time) {
  (void)::setpriority(PRIO_PROCESS, 0, kNice);
  if (!real_time) return {};
  sched_param parameter{};
  parameter.sched_priority = *real_time;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) return fail_errno("Could not set realtime priority");
  return {};
}

}  // namespace

struct Recording::State {
  Root root;
  RecordingOptions options;
  EventList events;
  std::function<void(std::string_view)> say;
  Watch watch;
  std::optional<Workload> workload;
  std::optional<Recorder> recorder;
  std::optional<RecordingOutput> output;
  RecordingSummary summary;
  Clock::time_point started{}, last_tick{};
  bool enabled = false;

  Result<> open(EventSources& sources, std::vector<std::string>& warnings);
  Result<> synthesize();
  Result<> begin();
  Result<> loop();
  Result<bool> lap();
  Result<> tick();
  Result<> enable_when_due();
  milliseconds time_left() const;
  bool over(const WatchResult& woken);
  Result<> stop();
  Result<> finish();
  void collect_losses();
};

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording::~Recording() = default;
const EventList& Recording::events() const { return state_->events; }

Result<Recording> Recording::start(const Root& root, RecordingOptions options, EventList events, EventSources& sources,
                                   std::function<void(std::string_view)> say, std::vector<std::string>& warnings) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto state = std::make_unique<State>(
      State{root, std::move(options), std::move(events), std::move(say), std::move(*watch), {}, {}, {}, {}});
  PEREGRINE_TRY(state->open(sources, warnings));
  PEREGRINE_TRY(state->synthesize());
  return Recording(std::move(state));
}

Result<> Recording::State::open(EventSources& sources, std::vector<std::string>& warnings) {
  if (!options.command.empty()) {
    auto started_workload = Workload::start(options.command, watch.previous_mask(), options.output == "-");
    if (!started_workload) return std::unexpected(std::move(started_workload.error()));
    workload.emplace(std::move(*started_workload));
    watch.set_workload(workload->fd());
    if (options.target.kind == TargetKind::Workload) options.target.set_workload(workload->pid());
  }
  auto opened =
      Recorder::open(events, options.target, perf_limits(root), options.ring_bytes, warnings, options.on_open);
  if (!opened) return std::unexpected(std::move(opened.error()));
  recorder.emplace(std::move(*opened));
  for (const Ring& ring : recorder->rings()) watch.add_ring(ring.writers);
  OutputOptions file;
  file.path = options.output;
  file.compression_level = options.compression_level;
  file.build_ids = options.build_ids;
  file.all_build_ids = options.all_build_ids;
  file.build_id_cache = options.build_id_cache;
  file.host = {options.version, options.command_line, options.clockid};
  auto created = RecordingOutput::create(root, std::move(file), events, *recorder, sources);
  if (!created) return std::unexpected(std::move(created.error()));
  output.emplace(std::move(*created));
  return {};
}

Result<> Recording::State::synthesize() {
  if (recorder->rings().empty()) return fail(ErrorKind::NotFound, "nothing to record: no thread of the target is left");
  std::optional<Pid> pid;
  if (workload) pid = workload->pid();
  ByteWriter opening;
  OpeningRequest request{options.target, events, *recorder, pid};
  request.data_maps = options.data_maps;
  request.namespaces = options.namespaces;
  request.cgroups = options.cgroups;
  request.scope = options.synthesis;
  request.build_ids = options.map_build_ids;
  synthesize_opening(root, request, opening);
  PEREGRINE_TRY(output->writer().append(opening.bytes()));
  PEREGRINE_TRY(output->writer().finish_init());
  return output->writer().checkpoint();
}

// Events on, workload off the leash.
Result<> Recording::State::begin() {
  PEREGRINE_TRY(raise_priority(options.real_time_priority));
  started = last_tick = Clock::now();
  if (options.delay_ms != 0) {
    say("Events disabled\n");
  } else {
    // A workload's events are enabled by its exec.
    if (options.target.kind != TargetKind::Workload) PEREGRINE_TRY(recorder->matrix().enable());
    enabled = true;
  }
  return workload ? workload->release() : Result<>();
}

Result<> Recording::State::enable_when_due() {
  if (enabled || options.delay_ms < 0 || Clock::now() - started < milliseconds(options.delay_ms)) return {};
  enabled = true;
  PEREGRINE_TRY(recorder->matrix().enable());
  say("Events enabled\n");
  return {};
}

milliseconds Recording::State::time_left() const {
  const auto now = Clock::now();
  const auto until = [&](Clock::time_point due) {
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(due - now));
  };
  milliseconds left = until(last_tick + kTick);
  if (!enabled && options.delay_ms > 0) left = std::min(left, until(started + milliseconds(options.delay_ms)));
  if (options.duration) left = std::min(left, until(started + *options.duration));
  if (workload && workload->fd() < 0) left = std::min(left, milliseconds(50));  // no pidfd: look for its end
  return left;
}

// Empties every ring once. True when anything was written.
Result<bool> Recording::State::lap() {
  bool wrote = false;
  for (Ring& ring : recorder->rings()) {
    auto drained = output->drain(ring);
    if (!drained) return drained;
    wrote |= *drained;
  }
  if (wrote) PEREGRINE_TRY(output->writer().finish_round());
  return wrote;
}

Result<> Recording::State::tick() {
  if (Clock::now() - last_tick < kTick) return {};
  last_tick = Clock::now();
  auto wrote = lap();
  if (!wrote) return std::unexpected(std::move(wrote.error()));
  return output->writer().checkpoint();
}

bool Recording::State::over(const WatchResult& woken) {
  for (const int number : woken.signals) {
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) summary.stopped_by = number;
  }
  if (summary.stopped_by) return true;
  if (workload && (woken.workload || workload->fd() < 0) && workload->ended_now()) return true;
  if (options.duration && Clock::now() - started >= *options.duration) return true;
  return woken.targets_gone && options.target.kind == TargetKind::Threads;
}

Result<> Recording::State::loop() {
  for (;;) {
    auto woken = watch.wait(time_left());
    if (!woken) return std::unexpected(std::move(woken.error()));
    PEREGRINE_TRY(enable_when_due());
    if (over(*woken)) return {};
    if (woken->ring) {
      ++summary.wakeups;
      auto wrote = lap();
      if (!wrote) return std::unexpected(std::move(wrote.error()));
    }
    PEREGRINE_TRY(tick());
  }
}

Result<> Recording::State::stop() {
  PEREGRINE_TRY(recorder->matrix().disable());
  if (workload) {
    if (!workload->ended_now()) {
      summary.ended_workload = true;
      workload->send(SIGTERM);
    }
    summary.exit = workload->wait();
  }
  auto wrote = lap();
  if (!wrote) return std::unexpected(std::move(wrote.error()));
  return {};
}

void Recording::State::collect_losses() {
  for (const Ring& ring : recorder->rings()) {
    summary.samples += ring.tally.samples;
    if (ring.tally.lossless()) continue;
    summary.losses.push_back(
        {ring.cpu, ring.thread, ring.tally.lost_records, ring.tally.lost_samples, ring.tally.throttles});
  }
}

Result<> Recording::State::finish() {
  ByteWriter lost;
  for (const auto& cell : recorder->read_lost(events)) {
    synthesize_lost_samples(events[cell.event].attr, cell.id, cell.cpu, cell.lost, lost);
  }
  if (lost.size() > 0) PEREGRINE_TRY(output->writer().append(lost.bytes()));
  collect_losses();
  PEREGRINE_TRY(output->finish(summary.warnings));
  const auto& account = output->writer().account();
  summary.bytes = output->writer().data_size();
  summary.record_bytes = account.record_bytes;
  summary.compressed_bytes = account.compressed_bytes;
  summary.ring_bytes = recorder->ring_bytes();
  return {};
}

Result<RecordingSummary> Recording::run() {
  if (auto begun = state_->begin(); !begun) {
    state_->output->discard();
    return std::unexpected(std::move(begun.error()));
  }
  PEREGRINE_TRY(state_->loop());
  PEREGRINE_TRY(state_->stop());
  PEREGRINE_TRY(state_->finish());
  return std::move(state_->summary);
}

}  // namespace peregrine
