// wait_for_end: waits until what is observed ends, for commands that open no events or read rings of their own.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

#include "base/result.h"
#include "capture/target/watch.h"
#include "capture/target/workload.h"

namespace peregrine {

struct EndWait {
  std::chrono::milliseconds period;  // between two looks; negative: until something happens
  std::function<void()> look = {};   // called at each
  std::function<bool()> gone = {};   // whether all that is watched has ended; asked where there is no command
};

// Until the command ends; without one, until a signal comes. The command gets the signals, and decides whether it ends.
Result<> wait_for_end(Watch& watch, std::optional<Workload>& workload, const EndWait& wait);

}  // namespace peregrine
