#include "pipeline/recording/recording.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/guarded.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "pipeline/recording/recording_state.h"
#include "sys/hardware/memory.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

constexpr int kNice = -20;  // measured under load: 84 % lost without, nothing with it

// The recorder must not wait behind what it observes. Refused without CAP_SYS_NICE, which is no error.
Result<> raise_priority(std::optional<int> real_time) {
  (void)::setpriority(PRIO_PROCESS, 0, kNice);
  if (!real_time) return {};
  sched_param parameter{};
  parameter.sched_priority = *real_time;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) return fail_errno("Could not set realtime priority");
  return {};
}

// The CPUs on which the recorder is close to a ring.
CpuList place_of(const Root& root, RingAffinity affinity, int cpu) {
  if (affinity == RingAffinity::Anywhere || cpu < 0) return {};
  if (affinity == RingAffinity::Cpu) return {cpu};
  for (const NumaNode& node : numa_nodes(root)) {
    const auto cpus = parse_cpu_list(node.cpus);
    if (cpus && std::ranges::binary_search(*cpus, cpu)) return *cpus;
  }
  return {};
}

}  // namespace

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording::~Recording() = default;
const EventList& Recording::events() const { return state_->events; }

Result<Recording> Recording::start(const Root& root, RecordingOptions options, EventList events, EventSources& sources,
                                   std::function<void(std::string_view)> say, std::vector<std::string>& warnings) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD});
  if (!watch) return std::unexpected(std::move(watch.error()));
  auto state = std::make_unique<State>(
      State{root, std::move(options), std::move(events), &sources, std::move(say), std::move(*watch), {}, {}, {}, {}});
  PEREGRINE_TRY(state->open(warnings));
  return Recording(std::move(state));
}

Result<> Recording::State::open(std::vector<std::string>& warnings) {
  if (!options.command.empty()) {
    auto held = Workload::start(options.command, watch.previous_mask(), options.output == "-");
    if (!held) return std::unexpected(std::move(held.error()));
    workload.emplace(std::move(*held));
    watch.set_workload(workload->fd());
    if (options.target.kind == TargetKind::Workload) options.target.set_workload(workload->pid());
  }
  const PerfLimits limits = perf_limits(root);
  auto opened = Recorder::open(events, options.target, limits, options.ring_bytes, warnings, options.on_open);
  if (!opened) return std::unexpected(std::move(opened.error()));
  recorder.emplace(std::move(*opened));
  if (options.follow && workload) PEREGRINE_TRY(follow_workload());
  if (options.off_cpu) PEREGRINE_TRY(open_off_cpu(limits));
  options.least_bytes = std::min(options.least_bytes, recorder->ring_bytes() / 4);
  for (const Ring& ring : recorder->rings()) {
    if (options.threads.empty()) watch.add_ring(ring.writers, !ring.buffer.backward());
    ring_places.push_back(place_of(root, options.affinity, ring.cpu));
  }
  if (options.control) watch.set_control(options.control->fd());
  if (options.switching && !options.switching->events.empty()) {
    auto triggered = SwitchTrigger::open(std::move(options.switching->events), options.target, limits, warnings);
    if (!triggered) return std::unexpected(std::move(triggered.error()));
    trigger.emplace(std::move(*triggered));
    watch.set_notice(trigger->fd());
  }
  finished = OutputSwitch(options.switching ? options.switching->max_files : 0);
  PEREGRINE_TRY(open_output());
  if (options.unwind) unwinding = UnwindThread::start(*output, options.kept);
  if (recorder->rings().empty())
    return fail(ErrorKind::NotFound, "nothing to record: every thread of the target has ended");
  return begin_file();
}

Result<> Recording::State::follow_workload() {
  auto opened = TaskFilter::open(workload->pid());
  if (!opened) return std::unexpected(std::move(opened.error()));
  followed.emplace(std::move(*opened));
  for (std::size_t index = 0; index < events.size(); ++index) {
    if (events[index].is_dummy()) continue;
    for (const Cell& cell : recorder->matrix().at(index).cells)
      if (cell.fd) PEREGRINE_TRY(followed->attach(cell.fd.get()));
  }
  return {};
}

Result<> Recording::State::open_output() {
  OutputOptions file;
  file.path = options.output;
  file.pipe_fd = options.pipe_fd;
  file.compression_level = options.compression_level;
  file.write_blocks = options.write_blocks;
  file.ring_files = options.threads.empty() ? 0 : recorder->rings().size();
  file.kernel_copy = options.kernel_copy;
  file.build_ids = options.build_ids;
  file.all_build_ids = options.all_build_ids;
  file.sample_times = options.sample_times;
  file.build_id_cache = options.build_id_cache;
  file.fetch_debug = options.fetch_debug;
  file.disk_sync = options.disk_sync;
  file.host = {options.version, options.command_line, options.clockid, true};
  auto created = RecordingOutput::create(root, std::move(file), events, *recorder, *sources);
  if (!created) return std::unexpected(std::move(created.error()));
  output.emplace(std::move(*created));
  if ((options.switching || options.stamped_name) && !output->is_pipe() && !output->has_name()) {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("'{}' cannot be renamed: it is not a regular file", options.output)}
            .with_hint(
                "--switch-output and --timestamp-filename need a file of their own: choose another name with -o"));
  }
  return {};
}

// What stands before the first sample. A workload that is still held back has nothing to tell but its name.
Result<> Recording::State::begin_file() {
  const bool held = workload && started == Clock::time_point();
  if (!options.tail_synthesis) PEREGRINE_TRY(synthesize(!held));
  if (held) {
    ByteWriter records;
    synthesize_held_workload(root, opening_request(), workload->pid(), records);
    if (unwinding) unwinding->learn(records.bytes());
    PEREGRINE_TRY(output->writer().append(records.bytes()));
  }
  if (!options.tail_synthesis) PEREGRINE_TRY(output->writer().finish_init());
  return output->writer().checkpoint();
}

OpeningRequest Recording::State::opening_request() {
  OpeningRequest request{options.target, events, *recorder};
  request.data_maps = options.data_maps;
  request.namespaces = options.namespaces;
  request.cgroups = options.cgroups;
  request.scope = options.synthesis;
  request.build_ids = options.map_build_ids;
  request.map_timeout_ms = options.map_timeout_ms;
  request.workers = options.synthesis_threads;
  return request;
}

Result<> Recording::State::synthesize(bool running) {
  OpeningRequest request = opening_request();
  if (running && workload) request.workload = workload->pid();
  if (request.scope.tasks && options.target.kind == TargetKind::Cpus && !shows_own_pid_namespace(root)) {
    constexpr const char* kWarning =
        "/proc shows another PID namespace: running processes have no names (mount -t proc proc /proc)";
    if (std::ranges::find(summary.warnings, kWarning) == summary.warnings.end()) summary.warnings.push_back(kWarning);
  }
  ByteWriter records;
  for (const Pid pid : synthesize_opening(root, request, records))
    if (std::ranges::find(summary.unread_processes, pid) == summary.unread_processes.end())
      summary.unread_processes.push_back(pid);
  if (unwinding) unwinding->learn(records.bytes());
  return output->writer().append(records.bytes());
}

// Events on, workload off the leash.
Result<> Recording::State::begin() {
  PEREGRINE_TRY(raise_priority(options.real_time_priority));
  if (!options.threads.empty()) {
    std::vector<int> cpus, left_out;
    for (const Ring& ring : recorder->rings()) cpus.push_back(ring.cpu);
    auto parts = assign_rings(options.threads, cpus, left_out);
    for (DrainPart& part : parts) {
      std::erase_if(part.rings, [&](std::size_t index) { return recorder->rings()[index].buffer.backward(); });
    }
    for (const int cpu : left_out)
      summary.warnings.push_back(fmt::format("no thread reads CPU {}: it is not recorded", cpu));
    auto begun = DrainThreads::start(*recorder, *output, std::move(parts));
    if (!begun) return std::unexpected(std::move(begun.error()));
    threads = std::move(*begun);
    watch.set_notice(threads->notice_fd());
  }
  started = last_tick = last_sync = last_switch = Clock::now();
  if (!options.schedule.at_once()) {
    say("Events disabled\n");
  } else if (options.target.kind != TargetKind::Workload) {  // a workload's events are enabled by its exec
    PEREGRINE_TRY(enable(true));
  }
  if (options.tell_start) say("perf record has started\n");
  if (!workload) return {};
  if (options.target.kind != TargetKind::Workload || !has_named_breakpoint(events)) return workload->release();
  return workload->release_held([&]() -> Result<> {
    PEREGRINE_TRY(move_breakpoints(root, workload->pid(), recorder->matrix(), events));
    return output->settle_events(events, *recorder);
  });
}

// The file so far is finished and put away; a new one takes the following laps.
Result<> Recording::State::switch_output() {
  switch_wanted = false;
  PEREGRINE_TRY(lap(true));
  if (unwinding) PEREGRINE_TRY(unwinding->settle());
  PEREGRINE_TRY(drain_backward_rings());
  PEREGRINE_TRY(close_output());
  say(fmt::format("[ perf record: dump data: Woken up {} times ]\n", summary.wakeups - wakeups_before_switch));
  say(fmt::format("[ perf record: Dump {} ]\n", summary.put_away));
  wakeups_before_switch = summary.wakeups;
  last_switch = Clock::now();
  PEREGRINE_TRY(open_output());
  PEREGRINE_TRY(begin_file());
  return take_place();
}

Result<> Recording::State::take_place() { return output->take_place(); }

Result<> Recording::State::close_output() {
  if (options.tail_synthesis) {
    PEREGRINE_TRY(output->writer().finish_init());
    PEREGRINE_TRY(synthesize(true));
  }
  PEREGRINE_TRY(output->finish(summary.warnings));
  if (const auto& sampled = output->sampled_processes())
    std::erase_if(summary.unread_processes, [&](Pid pid) { return !sampled->contains(static_cast<u32>(pid)); });
  summary.bytes = output->data_size();
  summary.record_bytes = output->account().record_bytes;
  summary.compressed_bytes = output->account().compressed_bytes;
  if (!options.switching && !options.stamped_name) return {};
  if (output->place() == nullptr) return fail(ErrorKind::Unsupported, "a pipe cannot be renamed");
  auto name = finished.put_away(*output->place());
  if (!name) return std::unexpected(std::move(name.error()));
  summary.put_away = std::move(*name);
  return {};
}

Result<> Recording::State::stop() {
  PEREGRINE_TRY(enable(false));
  if (workload) {
    if (!workload->ended_now()) workload->send(SIGTERM);
    summary.exit = workload->wait();
  }
  if (threads) {
    PEREGRINE_TRY(threads->stop());
    summary.wakeups += threads->wakeups();
  } else {
    PEREGRINE_TRY(lap(true));
  }
  if (unwinding) {
    PEREGRINE_TRY(unwinding->settle());
    summary.unwinding = unwinding->account();
  }
  return drain_backward_rings();
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
  if (off_cpu) PEREGRINE_TRY(take_all_sleeps());
  summary.filtered_out = recorder->filtered_out();
  for (std::string& problem : recorder->remove_shared_filters()) summary.warnings.push_back(std::move(problem));
  if (followed) summary.lost_tasks = followed->lost_tasks();
  summary.ring_bytes = recorder->ring_bytes();
  return close_output();
}

// After an error: nobody is left running, and what was written whole becomes readable.
void Recording::State::abandon() {
  // What fails from now on is not what is to be told.
  [[maybe_unused]] const auto disabled = recorder->matrix().disable();
  threads.reset();
  unwinding.reset();
  if (workload) {
    if (!workload->ended_now()) workload->send(SIGTERM);
    workload->wait();
  }
  [[maybe_unused]] const auto saved = output->writer().checkpoint();
}

Result<RecordingSummary> Recording::run() {
  State& state = *state_;
  if (auto begun = guarded([&] { return state.begin(); }); !begun) {
    state.threads.reset();
    return std::unexpected(std::move(begun.error()));
  }
  for (const auto step : {&State::take_place, &State::loop, &State::stop, &State::finish}) {
    if (auto done = guarded([&] { return (state.*step)(); }); !done) {
      state.abandon();
      return std::unexpected(std::move(done.error()));
    }
  }
  return std::move(state.summary);
}

}  // namespace peregrine
