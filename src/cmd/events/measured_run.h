// measured_run: what a command measures by itself, without events: from before another command starts until it ends or
// a signal comes. Commands with rings of their own use wait_for_end() alone.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

#include "capture/target/watch.h"
#include "capture/target/workload.h"
#include "cmd/frame/command.h"

namespace peregrine::cmd {

// Tells people without a command how the measurement of all CPUs ends.
void note_endless_run(Messages& messages);

// Starts the command of `call`, if there is one, after begin(), and calls end() when it is over. Errors: theirs; the
// command cannot be started.
Result<> run_measured(Invocation& call, const std::function<Result<>()>& begin, const std::function<Result<>()>& end);

struct EndWait {
  std::chrono::milliseconds period;  // between two looks; negative: until something happens
  std::function<void()> look = {};   // called at each
  std::function<bool()> gone = {};   // whether all that is watched has ended; asked where there is no command
};
// Until the command ends; without one, until a signal comes. The command gets the signals, and decides whether it ends.
Result<> wait_for_end(Watch& watch, std::optional<Workload>& workload, const EndWait& wait);

}  // namespace peregrine::cmd
