// detached_process: runs work in a process that outlives this one, and that nobody waits for.
//
// A child forks again and exits, so that init adopts the second process. That process has a new session, so the
// terminal's signals do not reach it, and only the descriptors that it needs: it does not keep our pipes open for
// their readers.
#pragma once
#include <span>

#include "base/result.h"

namespace peregrine {

// Closes all descriptors but these, in any order; negative ones stand for none. Async-signal-safe.
void close_all_but(std::span<const int> kept);

namespace detached {

enum class Side { Caller, Process };
// Process: in the new process. An error (System): there is none.
Result<Side> split(std::span<const int> kept);
[[noreturn]] void end_process();

}  // namespace detached

// Calls work() in such a process, which keeps these descriptors and ends afterwards. Error (System): neither was
// started. Threads of the caller do not come along: where there may be some, work() must be async-signal-safe.
template <class Work>
Result<> start_detached(std::span<const int> kept, Work&& work) {
  const auto side = detached::split(kept);
  if (!side) return std::unexpected(side.error());
  if (*side == detached::Side::Caller) return {};
  try {
    work();
  } catch (...) {  // nobody is left to be told
  }
  detached::end_process();
}

}  // namespace peregrine
