// HitCollector: the replay's sink of annotate: counts, per worker and event, how often each resolved frame was hit.
//
// Frames are small dense numbers of their resolver, so counting is one addition in an array; what a frame means is
// asked when it is first met. With a step, hits are listed by frame and time instead: a list is joined whenever it has
// grown to twice of what that left.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct HitRequest {
  std::unordered_set<std::string> dsos;  // short or whole names; empty: all
  std::string symbol;                    // as shown; empty: all
  u64 step = 0;                          // ns that are kept apart; 0: time is not kept
  bool runs = false;                     // what branch stacks say is counted, too
};

// What fell on places, step by step; in no order, and a place may have several of one step.
struct TimedHits {
  struct Place {
    u32 symbol = 0;  // place in RecordedHits::symbols
    u64 offset = 0;
  };
  struct Step {
    u32 place = 0, event = 0;  // of the evlist
    u64 step = 0;
    Hits hits;
  };
  std::vector<Place> places;
  std::vector<Step> steps;
};

// Whether code of the frame's dso counts. `names`: short or whole ones; empty: all.
bool is_chosen(const Frame& frame, const DsoTable& dsos, const std::unordered_set<std::string>& names);

class HitCollector : public ReplaySink {
 public:
  explicit HitCollector(HitRequest request);
  ~HitCollector() override;

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // After the replay, or between two batches: what was counted so far. `events`: size of the evlist by then.
  RecordedHits hits(std::size_t events) const;
  // Of some symbols of `hits`.
  TimedHits by_time(const RecordedHits& hits, std::span<const u32> symbols) const;

 private:
  struct Worker;
  struct Place;
  struct StepList;
  Place place_of(const Frame& frame, Resolver& resolver) const;

  HitRequest request_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace peregrine
