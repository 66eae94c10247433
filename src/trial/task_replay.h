// TaskReplay: threads that do what recorded tasks did: run as long, sleep as long, wait for each other and wake each
// other in the same order.
//
//   task A   run 2 ms ── wake B ── run 1 ms ──▶          B goes on when A has come so far, whenever that is
//   task B   await ················ run 3 ms ── sleep 5 ms ──▶
//
// A run is time on a CPU, of the thread's own clock; a sleep is time that passes. Threads live as long as the object
// and begin each round together. Tasks that sleep one after another take the sum of their sleeps: only a limit on the
// round bounds that.
#pragma once
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
  std::size_t task = 0;  // Wake: which task
};
using TaskSteps = std::vector<TaskStep>;

class TaskReplay {
 public:
  // Every Await of a task has its Wake in another. The steps outlive this. Errors: System, no more threads.
  static Result<TaskReplay> start(std::span<const TaskSteps> tasks);
  TaskReplay(TaskReplay&&) noexcept;
  TaskReplay& operator=(TaskReplay&&) noexcept;
  ~TaskReplay();

  struct Round {
    u64 elapsed = 0, on_cpu = 0;  // ns; on_cpu of all threads
    u64 cut = 0;                  // runs and sleeps that the end of the round's time cut short, or that came behind it
  };
  // After `limit` ns runs and sleeps end at once; waits and wake-ups are still done, so that every thread comes to its
  // end.
  Round run(u64 limit = ~u64{0});

 private:
  struct State;
  explicit TaskReplay(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a run and a sleep of this length take here, in ns.
u64 measured_run(u64 ns);
u64 measured_sleep(u64 ns);

}  // namespace peregrine
