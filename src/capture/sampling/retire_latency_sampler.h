// RetireLatencySampler: samples the events with the modifier R while others count (Intel TPEBS: precise samples whose
// weight says how many cycles passed since the instruction before retired).
//
//   open() ─▶ start(), or the workload's exec ─▶ drain(), drain(), … ─▶ stop() ─▶ drain() ─▶ since_start()
//
// Call drain() a few times a second: a full ring loses samples. One thread.
#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "capture/sampling/hit_stream.h"
#include "capture/sampling/latency_tally.h"

namespace peregrine {

struct RetireLatencyOptions {
  bool at_exec = false;    // start with the workload's exec
  bool children = true;    // follow children of the threads
  bool by_thread = false;  // a tally for each thread instead of each CPU
};

class RetireLatencySampler {
 public:
  // Samples the events of `events` that have the modifier R. Errors: of HitStream::open.
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
  std::vector<std::size_t> places_;  // of the sampled events in the list
  bool by_thread_;
  Tallies all_, fresh_;
  std::vector<EventHit> hits_;
  std::vector<SideBandHit> side_band_;
};

// The events with the modifier R, each by itself, as `record` takes them. Appends their places in `events`.
EventList latency_events(const EventList& events, std::vector<std::size_t>& places);

}  // namespace peregrine
