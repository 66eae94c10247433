// run_measured(): takes measurements without events, from before a command starts until it ends or a signal arrives.
// For measurements by BPF programs and kernel files.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/session_listener.h"

namespace peregrine {

// If there is no command, tells people how to end the measurement of all CPUs.
void note_endless_run(SessionListener& listener);

// Starts the command, if any, after begin(), and calls end() when it is over. Errors: those of begin() and end(); the
// command cannot be started. `limit`: end the command after this time; zero: never.
Result<> run_measured(const std::vector<std::string>& command, SessionListener& listener,
                      const std::function<Result<>()>& begin, const std::function<Result<>()>& end,
                      std::chrono::milliseconds limit = {});

}  // namespace peregrine
