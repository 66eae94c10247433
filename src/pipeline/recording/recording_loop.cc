#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/control_order.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/sampling/recorder.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/recording_state.h"
#include "pipeline/recording/thread_plan.h"

namespace peregrine {
namespace {

constexpr std::chrono::seconds kSyncPeriod(1);  // record --sync

}  // namespace

Recording::State::Span Recording::State::time_left() const {
  if (full) return Span(0);
  const auto now = Clock::now();
  const auto until = [&](Clock::time_point due) { return std::max(Span(0), std::chrono::ceil<Span>(due - now)); };
  Span left = until(last_tick + request.rings.tick);
  if (const auto change = schedule.next()) left = std::min(left, until(started + *change));
  if (request.run.duration) left = std::min(left, until(started + *request.run.duration));
  if (request.switching.when && request.switching.when->period) {
    left = std::min(left, until(last_switch + *request.switching.when->period));
  }
  if (threads && request.run.max_bytes != 0) left = std::min(left, Span(100));  // the threads' files grow silently
  if (workload && workload->fd() < 0) left = std::min(left, Span(50));  // no pidfd (before Linux 5.3): poll for its end
  return left;
}

u64 Recording::State::bytes() {
  if (unwinding) return unwinding->bytes();
  return output->writer().data_offset() + output->writer().data_size() + (threads ? threads->bytes() : 0);
}

// Drains each ring once. Unless `everything` is set, skips rings that hold too little to be worth a write.
Result<> Recording::State::lap(bool everything) {
  bool wrote = false;
  for (std::size_t index = 0; index < recorder->rings().size(); ++index) {
    Ring& ring = recorder->rings()[index];
    if (ring.buffer.backward()) continue;
    if (!everything && least_bytes > 1 && ring.buffer.available().size() < least_bytes) continue;
    if (!ring_places[index].empty() && ring_places[index] != place) {
      place = ring_places[index];
      PEREGRINE_TRY(run_on(place));
    }
    auto drained = drain(index, ring);
    if (!drained) return std::unexpected(std::move(drained.error()));
    wrote |= *drained;
    if (request.run.max_bytes != 0 && bytes() >= request.run.max_bytes) full = true;
  }
  if (unwinding) return wrote ? unwinding->end_lap() : Result<>();
  if (off_cpu) {
    auto slept = take_long_sleeps();
    if (!slept) return std::unexpected(std::move(slept.error()));
    wrote |= *slept;
  }
  if (file_names) {
    auto named = take_file_names();
    if (!named) return std::unexpected(std::move(named.error()));
    wrote |= *named;
  }
  // A lap that wrote something is a round. Readers sort up to the round before it (data/order/order.h).
  return wrote || (request.rings.live && everything) ? output->writer().finish_round() : Result<>();
}

// Drains a ring to the file or, with stacks to unwind, to the unwinding thread.
Result<bool> Recording::State::drain(std::size_t index, Ring& ring) {
  if (!unwinding) return output->drain(index, ring);
  const RingSpan span = ring.buffer.available();
  if (span.empty()) return false;
  tally_records(span, ring.tally);
  unwinding->take(span);
  ring.buffer.consume(span.size());
  return true;
}

// Writes a snapshot of the backward rings; the kernel must not write to them meanwhile.
Result<> Recording::State::drain_backward_rings() {
  bool wrote = false;
  PEREGRINE_TRY(recorder->pause_backward_rings(true));
  for (std::size_t index = 0; index < recorder->rings().size(); ++index) {
    Ring& ring = recorder->rings()[index];
    if (!ring.buffer.backward()) continue;
    auto drained = output->drain(index, ring);
    if (!drained) return std::unexpected(std::move(drained.error()));
    wrote |= *drained;
  }
  PEREGRINE_TRY(recorder->pause_backward_rings(false));
  return wrote && thread_plan.empty() ? output->writer().finish_round() : Result<>();
}

Result<> Recording::State::tick() {
  if (Clock::now() - last_tick < request.rings.tick) return {};
  last_tick = Clock::now();
  if (!threads) PEREGRINE_TRY(lap(true));
  if (request.rings.live) PEREGRINE_TRY(drain_backward_rings());
  PEREGRINE_TRY(unwinding ? unwinding->end_lap(true) : output->writer().checkpoint());
  if (last_tick - last_sync < kSyncPeriod) return {};
  last_sync = last_tick;
  output->request_sync();
  return {};
}

// The answer to the command status.
std::string Recording::State::status_text() {
  RingTally tally;
  for (const Ring& ring : recorder->rings()) tally.add(ring.tally);
  // The threads of --threads still add to theirs.
  const std::string counts =
      threads ? "" : fmt::format(", {} samples, {} lost", tally.samples, tally.lost_records + tally.lost_samples);
  return fmt::format("{}, {:.1f} MB{}\n", events_on ? "recording" : "paused", static_cast<double>(bytes()) / 1e6,
                     counts);
}

Result<> Recording::State::enable(bool on) {
  events_on = on;
  PEREGRINE_TRY(on ? recorder->matrix().enable() : recorder->matrix().disable());
  if (!off_cpu) return {};
  return on ? off_cpu->enable() : off_cpu->disable();
}

Result<> Recording::State::set_enabled(bool on) {
  PEREGRINE_TRY(enable(on));
  hooks.say(on ? "Events enabled\n" : "Events disabled\n");
  return {};
}

Result<> Recording::State::keep_schedule() {
  while (const auto on = schedule.take(std::chrono::duration_cast<Span>(Clock::now() - started))) {
    PEREGRINE_TRY(set_enabled(*on));
  }
  return {};
}

Result<> Recording::State::obey() {
  if (!hooks.control || hooks.control->fd() < 0) return {};
  const auto commands = hooks.control->read();
  for (const ControlCommand& command : commands) {
    using Verb = ControlCommand::Verb;
    if (command.argument.empty() && (command.verb == Verb::Enable || command.verb == Verb::Disable)) {
      PEREGRINE_TRY(set_enabled(command.verb == Verb::Enable));
    } else {
      const auto said = carry_out(command, events, recorder->matrix());
      if (!said) return std::unexpected(said.error());
      if (!said->empty()) hooks.say(*said);
    }
    asked_to_stop |= command.verb == Verb::Stop;
    hooks.control->acknowledge(command.verb == Verb::Status ? status_text() : std::string());
  }
  watch.set_control(hooks.control->fd());
  return {};
}

void Recording::State::note_signals(const WatchResult& woken) {
  for (const int number : woken.signals) {
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) summary.stopped_by = number;
    if (number == SIGUSR2 && request.switching.when && request.switching.when->by_signal) switch_wanted = true;
  }
  if (woken.noticed && trigger && trigger->take()) switch_wanted = true;
}

bool Recording::State::over(const WatchResult& woken) {
  full |= threads && request.run.max_bytes != 0 && bytes() >= request.run.max_bytes;
  if (full) {
    hooks.say(fmt::format("[ perf record: perf size limit reached ({} KB), stopping session ]\n", bytes() >> 10));
    return true;
  }
  if (summary.stopped_by || asked_to_stop || schedule.over()) return true;
  if (workload && (woken.workload || workload->fd() < 0) && workload->ended_now()) return true;
  if (request.run.duration && Clock::now() - started >= *request.run.duration) {
    summary.duration_over = true;
    return true;
  }
  bool gone = woken.targets_gone;
  if (threads && woken.noticed) {
    threads->take_notice();
    if (threads->failed()) return true;
    gone = threads->targets_gone();
  }
  return gone && target.kind == TargetKind::Threads;
}

bool Recording::State::switch_due() {
  if (!request.switching.when) return false;
  const SwitchCondition& when = *request.switching.when;
  return switch_wanted || (when.bytes != 0 && bytes() >= when.bytes) ||
         (when.period && Clock::now() - last_switch >= *when.period);
}

Result<> Recording::State::loop() {
  for (;;) {
    auto woken = watch.wait(time_left());
    if (!woken) return std::unexpected(std::move(woken.error()));
    note_signals(*woken);
    PEREGRINE_TRY(keep_schedule());
    if (woken->steered) PEREGRINE_TRY(obey());
    if (over(*woken)) return {};
    if (woken->ring) {
      ++summary.wakeups;
      PEREGRINE_TRY(lap(false));
    }
    PEREGRINE_TRY(tick());
    if (switch_due()) PEREGRINE_TRY(switch_output());
  }
}

}  // namespace peregrine
