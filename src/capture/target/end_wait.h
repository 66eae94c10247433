// wait_for_end: waits for the target to end, for commands that open no events or read their own rings.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

#include "base/result.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"

namespace peregrine {

struct EndWait {
  std::chrono::milliseconds period;  // polling interval; negative: wait until something happens
  std::function<void()> look = {};   // called at each poll
  std::function<bool()> gone = {};   // whether all watched tasks have ended; queried if there is no command
};

// Waits for the command to end or, without a command, for a signal. Signals are passed to the command, which decides
// whether to end.
Result<> wait_for_end(Watch& watch, std::optional<Workload>& workload, const EndWait& wait);

}  // namespace peregrine
