#include "capture/target/end_wait.h"

#include <expected>

#include "base/result.h"

namespace peregrine {

Result<> wait_for_end(Watch& watch, std::optional<Workload>& workload, const EndWait& wait) {
  for (;;) {
    const auto seen = watch.wait(wait.period);
    if (!seen) return std::unexpected(seen.error());
    if (wait.look) wait.look();
    if (!workload) {
      if (!seen->signals.empty() || (wait.gone && wait.gone())) return {};
      continue;
    }
    if (seen->workload || workload->ended_now()) return {};
    if (!seen->signals.empty()) workload->send(seen->signals.back());
  }
}

}  // namespace peregrine
