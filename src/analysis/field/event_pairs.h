// EventPairs: a sink that matches samples of two events by field values and measures the time between them: script
// --pair A,B --key FIELD.
//
//   A key=7 ──── 1.2 ms ────▶ B key=7      a pair: the start is consumed, later ends do not match it
//   A key=8     A key=8 ─────▶ B key=8     the first start is replaced: counted, not measured
//   B key=9                                an end without a start: counted
//
// Samples must be in time order: use one worker.
#pragma once
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/field/latency_map.h"
#include "analysis/field/sample_field.h"
#include "analysis/stat/value_distribution.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct PairRow {
  std::string group;
  u64 pairs = 0, total = 0, least = 0, most = 0;  // times in ns
  u64 half = 0, most_95 = 0, most_99 = 0;         // percentiles
};

class EventPairs : public ReplaySink {
 public:
  struct Request {
    u32 start = 0, end = 0;             // indices of the events
    std::vector<SampleField> keys;      // present in both events
    std::vector<SampleField> group_by;  // of the start event; empty: one row
    bool points = false;                // record when each pair ended
  };
  explicit EventPairs(Request request) : request_(std::move(request)) {}

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;

  // Largest total first. Call after the replay.
  std::vector<PairRow> rows() const;
  CountedValues counted() const;  // all times
  const std::vector<PairPoint>& points() const { return points_; }
  u64 replaced() const { return replaced_; }
  u64 unended() const { return open_.size(); }
  u64 unstarted() const { return unstarted_; }
  u64 keyless() const { return keyless_; }

 private:
  struct Start {
    u64 time = 0;
    std::string group;
  };

  Request request_;
  std::string key_;
  std::unordered_map<std::string, Start> open_;
  std::unordered_map<std::string, std::vector<u64>> times_;  // by group
  std::vector<PairPoint> points_;
  u64 replaced_ = 0, unstarted_ = 0, keyless_ = 0;
};

}  // namespace peregrine
