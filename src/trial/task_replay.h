// TaskReplay: threads that repeat what recorded tasks did: run and sleep as long, and wait for and wake each other in
// the same order.
//
//   task A   run 2 ms ── wake B ── run 1 ms ──▶          B continues when A gets there, whenever that is
//   task B   await ················ run 3 ms ── sleep 5 ms ──▶
//
// A run is CPU time of the thread; a sleep is wall-clock time. Threads live as long as the object and start each round
// together. Tasks that take turns sleeping need the sum of their sleeps; only the round's limit bounds that.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct TaskStep {
  enum class Kind : u8 { Run, Sleep, Await, Wake };
  Kind kind = Kind::Run;
  u64 ns = 0;            // Run, Sleep
  std::size_t task = 0;  // Wake: index of the task
};
using TaskSteps = std::vector<TaskStep>;

class TaskReplay {
 public:
  // Each Await must have its Wake in another task. `tasks` must outlive this. Errors: System, too many threads.
  static Result<TaskReplay> start(std::span<const TaskSteps> tasks);
  TaskReplay(TaskReplay&&) noexcept;
  TaskReplay& operator=(TaskReplay&&) noexcept;
  ~TaskReplay();

  struct Round {
    u64 elapsed = 0, on_cpu = 0;  // ns; on_cpu: sum of all threads
    u64 cut = 0;                  // runs and sleeps that the time limit shortened or skipped
  };
  // After `limit` ns runs and sleeps end at once; waits and wake-ups still happen, so that every thread finishes.
  Round run(u64 limit = ~u64{0});

 private:
  struct State;
  explicit TaskReplay(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The actual duration here of a run and a sleep of this length, in ns.
u64 measured_run(u64 ns);
u64 measured_sleep(u64 ns);

}  // namespace peregrine
