#include "trial/task_replay.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <exception>
#include <expected>
#include <semaphore>
#include <thread>
#include <utility>

namespace peregrine {

namespace {

constexpr u64 kSecond = 1'000'000'000;

u64 time_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<u64>(now.tv_sec) * kSecond + static_cast<u64>(now.tv_nsec);
}

constexpr u64 kNever = ~u64{0};

u64 sum(u64 a, u64 b) { return a > kNever - b ? kNever : a + b; }

// Burns CPU time. Returns false if `deadline` (CLOCK_MONOTONIC) passes first.
bool burn(u64 ns, u64 deadline = kNever) {
  const u64 until = sum(time_of(CLOCK_THREAD_CPUTIME_ID), ns);
  while (time_of(CLOCK_THREAD_CPUTIME_ID) < until)
    if (deadline != kNever && time_of(CLOCK_MONOTONIC) >= deadline) return false;
  return true;
}

bool pause_for(u64 ns, u64 deadline = kNever) {
  const u64 now = time_of(CLOCK_MONOTONIC), left = deadline - std::min(now, deadline);
  const u64 slept = std::min(ns, left);
  const timespec length{.tv_sec = static_cast<time_t>(slept / kSecond), .tv_nsec = static_cast<long>(slept % kSecond)};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
  return ns <= left;
}

}  // namespace

struct TaskReplay::State {
  // A task. Wake-ups are counted, so one that arrives early is not lost.
  struct Actor {
    const TaskSteps& steps;
    std::counting_semaphore<> woken{0};
    std::atomic<u64> on_cpu = 0, cut = 0;
    std::thread thread = {};
    explicit Actor(const TaskSteps& own) : steps(own) {}
  };

  // Runs when all have arrived, before any of them goes on.
  struct Stamp {
    u64* opened;
    void operator()() const noexcept { *opened = time_of(CLOCK_MONOTONIC); }
  };

  explicit State(std::size_t tasks) : gate(static_cast<std::ptrdiff_t>(tasks) + 1, Stamp{&opened}) {}
  void act(Actor& actor);
  void live(Actor& actor);

  std::vector<std::unique_ptr<Actor>> actors;
  u64 opened = 0;            // when the gate opened last; it cannot open again before the owner has read this
  std::barrier<Stamp> gate;  // passed by the threads and their owner at the start and end of each round
  std::atomic<bool> over = false;
  std::atomic<u64> deadline = kNever;  // deadline of the round
};

void TaskReplay::State::act(Actor& actor) {
  const u64 until = deadline;
  u64 cut = 0;
  for (const TaskStep& step : actor.steps) switch (step.kind) {
      case TaskStep::Kind::Run:
        if (!burn(step.ns, until)) ++cut;
        break;
      case TaskStep::Kind::Sleep:
        if (!pause_for(step.ns, until)) ++cut;
        break;
      case TaskStep::Kind::Await:
        actor.woken.acquire();
        break;
      case TaskStep::Kind::Wake:
        actors[step.task]->woken.release();
        break;
    }
  actor.cut = cut;
}

void TaskReplay::State::live(Actor& actor) {
  for (;;) {
    gate.arrive_and_wait();
    if (over) return;
    const u64 before = time_of(CLOCK_THREAD_CPUTIME_ID);
    act(actor);
    actor.on_cpu = time_of(CLOCK_THREAD_CPUTIME_ID) - before;
    gate.arrive_and_wait();
  }
}

TaskReplay::TaskReplay(std::unique_ptr<State> state) : state_(std::move(state)) {}
TaskReplay::TaskReplay(TaskReplay&&) noexcept = default;
TaskReplay& TaskReplay::operator=(TaskReplay&&) noexcept = default;

TaskReplay::~TaskReplay() {
  if (!state_) return;
  state_->over = true;
  state_->gate.arrive_and_wait();
  for (const auto& actor : state_->actors) actor->thread.join();
}

Result<TaskReplay> TaskReplay::start(std::span<const TaskSteps> tasks) {
  auto state = std::make_unique<State>(tasks.size());
  for (const TaskSteps& steps : tasks) state->actors.push_back(std::make_unique<State::Actor>(steps));
  std::size_t started = 0;
  try {
    for (; started < tasks.size(); ++started) {
      State::Actor& actor = *state->actors[started];
      actor.thread = std::thread([&made = *state, &actor] { made.live(actor); });
    }
  } catch (const std::exception& error) {
    // The threads already started wait at the gate. Drop the missing threads' places so that they can pass and end.
    state->over = true;
    for (std::size_t i = started; i < tasks.size(); ++i) state->gate.arrive_and_drop();
    state->gate.arrive_and_wait();
    for (std::size_t i = 0; i < started; ++i) state->actors[i]->thread.join();
    return std::unexpected(Error{
        ErrorKind::System, fmt::format("cannot start thread {} of {}: {}", started + 1, tasks.size(), error.what())}
                               .with_hint("raise the thread limit: `ulimit -u`, or the cgroup's pids.max"));
  }
  return TaskReplay(std::move(state));
}

TaskReplay::Round TaskReplay::run(u64 limit) {
  Round round;
  state_->deadline = sum(time_of(CLOCK_MONOTONIC), limit);
  state_->gate.arrive_and_wait();
  const u64 before = state_->opened;
  state_->gate.arrive_and_wait();
  round.elapsed = state_->opened - before;
  for (const auto& actor : state_->actors) {
    round.on_cpu += actor->on_cpu;
    round.cut += actor->cut;
  }
  return round;
}

u64 measured_run(u64 ns) {
  const u64 before = time_of(CLOCK_MONOTONIC);
  burn(ns);
  return time_of(CLOCK_MONOTONIC) - before;
}

u64 measured_sleep(u64 ns) {
  const u64 before = time_of(CLOCK_MONOTONIC);
  pause_for(ns);
  return time_of(CLOCK_MONOTONIC) - before;
}

}  // namespace peregrine
