// HitCollector: the replay's sink of annotate: counts, per worker and event, how often each resolved frame was hit.
//
// Frames are small dense numbers of their resolver, so counting is one addition in an array; what a frame means is
// asked when it is first met.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct HitRequest {
  std::unordered_set<std::string> dsos;  // short or whole names; empty: all
  std::string symbol;                    // as shown; empty: all
};

class HitCollector : public ReplaySink {
 public:
  explicit HitCollector(HitRequest request);
  ~HitCollector() override;

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // After the replay, or between two batches: what was counted so far. `events`: size of the evlist by then.
  RecordedHits hits(std::size_t events) const;

 private:
  struct Worker;
  struct Place;
  Place place_of(const Frame& frame, Resolver& resolver) const;

  HitRequest request_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
