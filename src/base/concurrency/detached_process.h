// detached_process: runs work in a process that outlives this one and that no process waits for.
//
// A child forks again and exits, so that init adopts the second process. That process has a new session, so terminal
// signals do not reach it. It keeps only the descriptors that it needs, so that it does not hold our pipes open.
#pragma once
#include <expected>
#include <span>

#include "base/result.h"

namespace peregrine {

// Closes all descriptors except these, which may be in any order; negative ones are ignored. Async-signal-safe.
void close_all_but(std::span<const int> kept);

namespace detached {

enum class Side { Caller, Process };
// Returns Process in the new process. Error (System): there is no new process.
Result<Side> split(std::span<const int> kept);
[[noreturn]] void end_process();

}  // namespace detached

// Calls work() in a detached process that keeps these descriptors and ends afterwards. Error (System): nothing was
// started. The process has only one thread; if the caller may have more, work() must be async-signal-safe.
template <class Work>
Result<> start_detached(std::span<const int> kept, Work&& work) {
  const auto side = detached::split(kept);
  if (!side) return std::unexpected(side.error());
  if (*side == detached::Side::Caller) return {};
  try {
    work();
  } catch (...) {  // no one is left to report to
  }
  detached::end_process();
}

}  // namespace peregrine
