// run_measured: measures without events: from before another command starts until it ends or a signal comes. For
// measurements by BPF programs and by files of the kernel.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/session_listener.h"

namespace peregrine {

// Tells people without a command how the measurement of all CPUs ends.
void note_endless_run(SessionListener& listener);

// Starts the command, if there is one, after begin(), and calls end() when it is over. Errors: theirs; the command
// cannot be started.
Result<> run_measured(const std::vector<std::string>& command, SessionListener& listener,
                      const std::function<Result<>()>& begin, const std::function<Result<>()>& end);

}  // namespace peregrine
