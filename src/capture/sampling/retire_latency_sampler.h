// RetireLatencySampler: samples the events with modifier R while others count (Intel TPEBS: the weight of a precise
// sample is the number of cycles since the previous instruction retired).
//
//   open() ─▶ start(), or the workload's exec ─▶ drain(), drain(), … ─▶ stop() ─▶ drain() ─▶ since_start()
//
// Call drain() a few times a second: a full ring loses samples. One thread.
#pragma once
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/hit_stream.h"
#include "capture/sampling/latency_tally.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

struct RetireLatencyOptions {
  bool at_exec = false;    // start at the workload's exec
  bool children = true;    // follow children of the threads
  bool by_thread = false;  // one tally per thread instead of per CPU
};

class RetireLatencySampler {
 public:
  // Samples those of `events` that have modifier R. Errors: those of HitStream::open.
  static Result<RetireLatencySampler> open(const EventList& events, const Target& target, const PerfLimits& limits,
                                           const RetireLatencyOptions& options);

  Result<> start() { return stream_.start(); }
  Result<> stop() { return stream_.stop(); }
  void drain();
  std::vector<LatencyReading> since_start() const { return readings_of(all_); }
  // Since the last call.
  std::vector<LatencyReading> since_last();
  u64 lost() const { return stream_.lost(); }

 private:
  using Tallies = std::map<std::tuple<std::size_t, int, Pid>, LatencyTally>;
  RetireLatencySampler(HitStream stream, std::vector<std::size_t> places, bool by_thread)
      : stream_(std::move(stream)), places_(std::move(places)), by_thread_(by_thread) {}
  static std::vector<LatencyReading> readings_of(const Tallies& tallies);

  HitStream stream_;
  std::vector<std::size_t> places_;  // indices of the sampled events in the list
  bool by_thread_;
  Tallies all_, fresh_;
  std::vector<EventHit> hits_;
  std::vector<SideBandHit> side_band_;
};

// The events with modifier R, ungrouped, as `record` needs them. Appends their indices in `events`.
EventList latency_events(const EventList& events, std::vector<std::size_t>& places);

}  // namespace peregrine
