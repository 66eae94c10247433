// HitCollector: annotate's replay sink: counts per worker and event how often each resolved frame was hit.
//
// Frames are small dense ids of their resolver, so counting is one addition in an array; a frame is resolved on first
// use. With a step, hits are listed by frame and time instead; a list is compacted whenever it doubles.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct HitRequest {
  std::unordered_set<std::string> dsos;  // short or long names; empty: all
  std::string symbol;                    // as shown; empty: all
  u64 step = 0;                          // time resolution in ns; 0: do not keep time
  bool runs = false;                     // also count branch stacks
};

// Hits per place and step; unordered, with possible duplicates per step.
struct TimedHits {
  struct Place {
    u32 symbol = 0;  // index in RecordedHits::symbols
    u64 offset = 0;
  };
  struct Step {
    u32 place = 0, event = 0;  // index in the evlist
    u64 step = 0;
    Hits hits;
  };
  std::vector<Place> places;
  std::vector<Step> steps;
};

// Whether to count code of the frame's dso. `names`: short or long ones; empty: all.
bool is_chosen(const Frame& frame, const DsoTable& dsos, const std::unordered_set<std::string>& names);

class HitCollector : public ReplaySink {
 public:
  explicit HitCollector(HitRequest request);
  ~HitCollector() override;

  void begin(unsigned workers) override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Call after the replay, or between two batches to get the counts so far. `events`: current size of the evlist.
  RecordedHits hits(std::size_t events) const;
  // If the requested symbol was not hit: the sampled symbol that the user probably meant.
  std::optional<std::string> nearest_symbol() const;
  // Call between two batches of a live session, before its resolvers forget their frames: keeps the totals and the hits
  // in dsos that `wanted` accepts. Not with a step or with runs.
  void forget_frames(const std::function<bool(DsoId)>& wanted);
  // Hits of some symbols.
  TimedHits by_time(const RecordedHits& hits, std::span<const u32> symbols) const;

 private:
  struct Worker;
  struct Place;
  struct StepList;
  Place place_of(const Frame& frame, Resolver& resolver) const;

  HitRequest request_;
  std::vector<std::unique_ptr<Worker>> workers_;
  RecordedHits kept_;  // kept from frames that were forgotten
};

}  // namespace peregrine
