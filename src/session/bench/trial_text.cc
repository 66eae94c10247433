#include "session/bench/trial_text.h"

namespace peregrine {

void write_total_time(Sink& out, double seconds) { out.format(" {:>14}: {:.3f} [sec]\n", "Total time", seconds); }

void write_operation_rate(Sink& out, double seconds, u64 operations) {
  const double count = static_cast<double>(operations);
  out.format("\n {:14.6f} usecs/op\n {:14} ops/sec\n", seconds * 1e6 / count,
             static_cast<u64>(seconds > 0 ? count / seconds : 0));
}

}  // namespace peregrine
