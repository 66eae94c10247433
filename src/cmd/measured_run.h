// measured_run: what a command measures by itself, without events: from before another command starts until it ends or
// a signal comes.
#pragma once
#include <functional>

#include "cmd/command.h"

namespace peregrine::cmd {

// Starts the command of `call`, if there is one, after begin(), and calls end() when it is over. Errors: theirs; the
// command cannot be started.
Result<> run_measured(Invocation& call, const std::function<Result<>()>& begin, const std::function<Result<>()>& end);

}  // namespace peregrine::cmd
