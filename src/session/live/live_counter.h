// LiveCounter: counts samples by mode as they arrive, and forwards those that are not hidden.
//
// Used by the single-threaded replay of a LiveSession; all other members must be called with the session's mutex
// held.
#pragma once
#include <optional>
#include <utility>

#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// The counts of one refresh, for all events.
struct LiveCounts {
  u64 samples = 0, kernel = 0, user = 0, guest_kernel = 0, guest_user = 0;
  u64 exact = 0;
  u64 lost = 0, all_lost = 0;        // records, since the last refresh and in total
  u64 dropped = 0, all_dropped = 0;  // samples that the kernel dropped
  double seconds = 0;                // since the last refresh
  std::optional<double> own_cost;    // percentage of one CPU that this program used, including its threads
};

class LiveCounter : public ReplaySink {
 public:
  // Both must outlive this. `sums` receives side-band records too.
  LiveCounter(ReplaySink& sums, ReplaySink& hits) : sums_(sums), hits_(hits) {}

  void begin(unsigned workers) override;
  void begin_batch() override { sums_.begin_batch(); }
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override {
    sums_.side_band(record, resolver, worker);
  }
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Takes effect with the next sample. Hidden samples are still counted.
  void hide(bool kernel, bool user) { hide_kernel_ = kernel, hide_user_ = user; }
  // Samples since the last call; losses and times are not filled in.
  LiveCounts take() { return std::exchange(counts_, {}); }

 private:
  // Whether the sample is hidden.
  bool count(const abi::Sample& sample);

  ReplaySink& sums_;
  ReplaySink& hits_;
  LiveCounts counts_;
  bool hide_kernel_ = false, hide_user_ = false;
};

}  // namespace peregrine
