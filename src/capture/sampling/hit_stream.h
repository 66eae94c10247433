// HitStream: each hit of a few events with its CLOCK_MONOTONIC time, to be merged with other sources on that clock (BPF
// programs). Includes the side-band that explains addresses.
//
//   open(): events disabled ─▶ start() ─▶ drain(), drain(), … ─▶ stop() ─▶ drain()
//
// Nothing wakes the reader: it must drain before the rings fill up. One thread.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/recorder.h"
#include "capture/target/target.h"
#include "event/config/callgraph.h"
#include "event/config/record_config.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {

struct HitOptions {
  bool children = true;        // include children of the threads
  bool at_exec = false;        // call start() later: the next exec of the threads starts them
  std::size_t ring_bytes = 0;  // 0: default
  CallgraphRequest callgraph;  // for all events
  bool addresses = false;      // sample the addresses of page faults
  bool side_band = false;      // record mappings etc.
  bool latencies = false;      // sample occasionally instead of every hit; the events have modifier R
};

// How `record` would be set up to keep every hit or, with `latencies`, to sample occasionally.
RecordConfig hit_config(const Target& target, const PerfLimits& limits, const HitOptions& options);

class HitStream {
 public:
  // Errors: those of configure_for_record and Recorder::open. More events than requested may follow them.
  static Result<HitStream> open(EventList events, const Target& target, const PerfLimits& limits,
                                const HitOptions& options);

  Result<> start() { return recorder_.matrix().enable(); }
  Result<> stop() { return recorder_.matrix().disable(); }
  // Appends what happened since the last call, sorted by time; side-band only if requested.
  void drain(std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band);
  // Decodes a hit; valid until the next call. Null if it is malformed.
  const abi::Sample* sample(const EventHit& hit) { return reader_.sample(hit); }
  // Hits lost because a ring was full.
  u64 lost() const { return lost_; }

  const EventList& events() const { return reader_.events(); }
  Recorder& recorder() { return recorder_; }

 private:
  HitStream(Recorder recorder, EventList events, bool side_band)
      : recorder_(std::move(recorder)), reader_(std::move(events), recorder_.ids(), side_band) {}

  Recorder recorder_;
  HitReader reader_;
  std::vector<std::byte> records_;
  u64 lost_ = 0;
};

}  // namespace peregrine
