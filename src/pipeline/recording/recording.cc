#include "pipeline/recording/recording.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/filter/task_filter.h"
#include "capture/perf_event/breakpoint_symbol.h"
#include "capture/sampling/recorder.h"
#include "capture/synthesis/session.h"
#include "capture/target/watch.h"
#include "pipeline/recording/drain_threads.h"
#include "pipeline/recording/recording_state.h"
#include "pipeline/recording/switch_trigger.h"
#include "pipeline/recording/thread_plan.h"
#include "pipeline/recording/unwind/unwind_thread.h"
#include "sys/hardware/cpu.h"
#include "sys/hardware/memory.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

constexpr int kNice = -20;  // measured under load: 84 % of events lost without it, none with it

// The recorder must not wait behind the programs it observes. Without CAP_SYS_NICE, setpriority() fails and recording
// continues at normal priority.
Result<> raise_priority(std::optional<int> real_time) {
  (void)::setpriority(PRIO_PROCESS, 0, kNice);
  if (!real_time) return {};
  sched_param parameter{};
  parameter.sched_priority = *real_time;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameter) != 0) return fail_errno("Could not set realtime priority");
  return {};
}

// The CPUs near a ring, where its drain thread should run. Empty: any CPU.
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

Result<Recording> Recording::start(const Root& root, RecordingRequest request, Target target, EventList events,
                                   EventSources& sources, RecordingHooks hooks, std::vector<std::string>& warnings) {
  auto watch = Watch::open({SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD});
  if (!watch) return std::unexpected(std::move(watch.error()));
  std::unique_ptr<State> state(new State{.root = root,
                                         .request = std::move(request),
                                         .target = std::move(target),
                                         .events = std::move(events),
                                         .sources = &sources,
                                         .hooks = std::move(hooks),
                                         .watch = std::move(*watch)});
  PEREGRINE_TRY(state->open(warnings));
  return Recording(std::move(state));
}

Result<> Recording::State::open(std::vector<std::string>& warnings) {
  schedule = request.run.schedule;
  if (!request.rings.threads.empty()) {
    auto plan = parse_thread_plan(root, request.rings.threads);
    if (!plan) return std::unexpected(std::move(plan.error()));
    thread_plan = std::move(*plan);
  }
  if (!request.run.command.empty()) {
    auto held = Workload::start(request.run.command, watch.previous_mask(), request.output.path == "-");
    if (!held) return std::unexpected(std::move(held.error()));
    workload.emplace(std::move(*held));
    watch.set_workload(workload->fd());
    if (target.kind == TargetKind::Workload) target.set_workload(workload->pid());
  }
  const PerfLimits limits = perf_limits(root);
  auto opened = Recorder::open(events, target, limits, request.rings.ring_bytes, warnings, hooks.on_open);
  if (!opened) return std::unexpected(std::move(opened.error()));
  recorder.emplace(std::move(*opened));
  if (request.run.follow && workload) PEREGRINE_TRY(follow_workload());
  if (request.run.off_cpu) PEREGRINE_TRY(open_off_cpu(limits));
  if (request.run.file_names) PEREGRINE_TRY(open_file_names());
  least_bytes = std::min(request.rings.least_bytes, recorder->ring_bytes() / 4);
  for (const Ring& ring : recorder->rings()) {
    if (thread_plan.empty()) watch.add_ring(ring.writers, !ring.buffer.backward());
    ring_places.push_back(place_of(root, request.rings.affinity, ring.cpu));
  }
  if (hooks.control) watch.set_control(hooks.control->fd());
  if (request.switching.when && !request.switching.events.empty()) {
    auto triggered = SwitchTrigger::open(request.switching.events, target, limits, warnings);
    if (!triggered) return std::unexpected(std::move(triggered.error()));
    trigger.emplace(std::move(*triggered));
    watch.set_notice(trigger->fd());
  }
  finished = OutputSwitch(request.switching.when ? request.switching.max_files : 0);
  PEREGRINE_TRY(open_output());
  if (request.run.unwind) unwinding = UnwindThread::start(*output, request.run.kept);
  if (recorder->rings().empty())
    return fail(ErrorKind::NotFound, "nothing to record: every thread of the target has exited");
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
  FileContents contents;
  contents.ring_files = thread_plan.empty() ? 0 : recorder->rings().size();
  contents.build_ids = request.looks_up_build_ids();
  contents.clockid = request.config.sampling.clockid;
  contents.fetch_debug = hooks.fetch_debug;
  auto created = RecordingOutput::create(root, request.output, std::move(contents), events, *recorder, *sources);
  if (!created) return std::unexpected(std::move(created.error()));
  output.emplace(std::move(*created));
  if ((request.switching.when || request.switching.stamped_name) && !output->is_pipe() && !output->has_name()) {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("'{}' cannot be renamed: it is not a regular file", request.output.path)}
            .with_hint("--switch-output and --timestamp-filename require a regular file: choose another name with -o"));
  }
  return {};
}

// Writes everything that precedes the first sample. A workload that has not been released yet has only a name.
Result<> Recording::State::begin_file() {
  const bool held = workload && started == Clock::time_point();
  if (!request.synthesis.at_end) PEREGRINE_TRY(synthesize(!held));
  if (held) {
    ByteWriter records;
    synthesize_held_workload(root, opening_request(), workload->pid(), records);
    if (unwinding) unwinding->learn(records.bytes());
    PEREGRINE_TRY(output->writer().append(records.bytes()));
  }
  if (!request.synthesis.at_end) PEREGRINE_TRY(output->writer().finish_init());
  // A workload that has not been released yet has descriptors of ours.
  if (file_names) PEREGRINE_TRY(take_open_files());
  return output->writer().checkpoint();
}

OpeningRequest Recording::State::opening_request() {
  return {.target = target,
          .events = events,
          .recorder = *recorder,
          .synthesis = request.synthesis,
          .config = request.config};
}

Result<> Recording::State::synthesize(bool running) {
  OpeningRequest opening = opening_request();
  if (running && workload) opening.workload = workload->pid();
  if (opening.synthesis.scope.tasks && target.kind == TargetKind::Cpus && !shows_own_pid_namespace(root)) {
    constexpr const char* kWarning =
        "/proc shows another PID namespace: running processes have no names (mount -t proc proc /proc)";
    if (std::ranges::find(summary.warnings, kWarning) == summary.warnings.end()) summary.warnings.push_back(kWarning);
  }
  ByteWriter records;
  for (const Pid pid : synthesize_opening(root, opening, records))
    if (std::ranges::find(summary.unread_processes, pid) == summary.unread_processes.end())
      summary.unread_processes.push_back(pid);
  if (unwinding) unwinding->learn(records.bytes());
  return output->writer().append(records.bytes());
}

// Enables the events and releases the workload.
Result<> Recording::State::begin() {
  PEREGRINE_TRY(raise_priority(request.rings.real_time_priority));
  if (!thread_plan.empty()) {
    std::vector<int> cpus, left_out;
    for (const Ring& ring : recorder->rings()) cpus.push_back(ring.cpu);
    auto parts = assign_rings(thread_plan, cpus, left_out);
    for (DrainPart& part : parts) {
      std::erase_if(part.rings, [&](std::size_t index) { return recorder->rings()[index].buffer.backward(); });
    }
    for (const int cpu : left_out)
      summary.warnings.push_back(fmt::format("CPU {} is not assigned to a thread and is not recorded", cpu));
    auto begun = DrainThreads::start(*recorder, *output, std::move(parts));
    if (!begun) return std::unexpected(std::move(begun.error()));
    threads = std::move(*begun);
    watch.set_notice(threads->notice_fd());
  }
  started = last_tick = last_sync = last_switch = Clock::now();
  events_on = schedule.at_once();
  if (!schedule.at_once())
    hooks.say("Events disabled\n");
  else if (target.kind != TargetKind::Workload)  // a workload's exec enables them
    PEREGRINE_TRY(enable(true));
  if (request.run.tell_start) hooks.say("perf record has started\n");
  if (!workload) return {};
  if (target.kind != TargetKind::Workload || !has_named_breakpoint(events)) return workload->release();
  return workload->release_held([&]() -> Result<> {
    PEREGRINE_TRY(move_breakpoints(root, workload->pid(), recorder->matrix(), events));
    return output->settle_events(events, *recorder);
  });
}

// Finishes the current file and renames it; later laps go into a new one.
Result<> Recording::State::switch_output() {
  switch_wanted = false;
  PEREGRINE_TRY(lap(true));
  if (unwinding) PEREGRINE_TRY(unwinding->settle());
  PEREGRINE_TRY(drain_backward_rings());
  PEREGRINE_TRY(close_output());
  hooks.say(fmt::format("[ perf record: dump data: Woken up {} times ]\n", summary.wakeups - wakeups_before_switch));
  hooks.say(fmt::format("[ perf record: Dump {} ]\n", summary.put_away));
  wakeups_before_switch = summary.wakeups;
  last_switch = Clock::now();
  PEREGRINE_TRY(open_output());
  PEREGRINE_TRY(begin_file());
  return take_place();
}

Result<> Recording::State::take_place() { return output->take_place(); }

Result<> Recording::State::close_output() {
  if (request.synthesis.at_end) {
    PEREGRINE_TRY(output->writer().finish_init());
    PEREGRINE_TRY(synthesize(true));
  }
  PEREGRINE_TRY(output->finish(summary.warnings));
  if (const auto& sampled = output->sampled_processes())
    std::erase_if(summary.unread_processes, [&](Pid pid) { return !sampled->contains(static_cast<u32>(pid)); });
  summary.bytes = output->data_size();
  summary.record_bytes = output->account().record_bytes;
  summary.compressed_bytes = output->account().compressed_bytes;
  if (!request.switching.when && !request.switching.stamped_name) return {};
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
  if (file_names) summary.lost_file_names = file_names->lost();
  summary.filtered_out = recorder->filtered_out();
  for (std::string& problem : recorder->remove_shared_filters()) summary.warnings.push_back(std::move(problem));
  if (followed) summary.lost_tasks = followed->lost_tasks();
  summary.ring_bytes = recorder->ring_bytes();
  return close_output();
}

// After an error: ends the workload, and makes the part that was completely written readable.
void Recording::State::abandon() {
  // Errors from here on are ignored, so that the user sees the original one.
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
