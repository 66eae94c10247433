// HitStream: each hit of a few events, as it happens, with the time of CLOCK_MONOTONIC: for who watches something else
// by that clock too (BPF programs) and wants both in one order. With it comes the side-band that explains addresses.
//
//   open(): events stopped ─▶ start() ─▶ drain(), drain(), … ─▶ stop() ─▶ drain()
//
// Nothing wakes the reader: he comes when he likes, before the rings are full. One thread.
#pragma once
#include <unordered_map>
#include <vector>

#include "abi/sample.h"
#include "capture/sampling/recorder.h"
#include "event/config/callgraph.h"

namespace peregrine {

struct EventHit {
  u64 time = 0;
  std::size_t event = 0;          // place in the list
  std::vector<std::byte> record;  // the sample
};

// A record that is no sample.
struct SideBandHit {
  u64 time = 0;
  std::vector<std::byte> record;
};

struct HitOptions {
  bool children = true;        // what the threads start, too
  bool at_exec = false;        // start() is for later: the next exec of the threads starts them
  std::size_t ring_bytes = 0;  // 0: default
  CallgraphRequest callgraph;  // of all events
  bool addresses = false;      // that page faults were about
  bool side_band = false;      // who maps what
  bool latencies = false;      // sample now and then instead of each hit: the events are those of modifier R
};

class HitStream {
 public:
  // Errors: of configure_for_record and Recorder::open. There may be more events than were asked for, behind those.
  static Result<HitStream> open(EventList events, const Target& target, const PerfLimits& limits,
                                const HitOptions& options);

  Result<> start() { return recorder_.matrix().enable(); }
  Result<> stop() { return recorder_.matrix().disable(); }
  // Appends what happened since the last time, each in order of time; side-band where it was asked for.
  void drain(std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band);
  // What a hit says; valid until the next call. Null: it is malformed.
  const abi::Sample* sample(const EventHit& hit);
  // Hits that there was no room for.
  u64 lost() const { return lost_; }

  const EventList& events() const { return events_; }
  Recorder& recorder() { return recorder_; }

 private:
  HitStream(Recorder recorder, EventList events, bool side_band);
  void read(Bytes records, std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band);

  Recorder recorder_;
  EventList events_;
  bool side_band_;
  std::vector<abi::SampleDecoder> decoders_;       // by event
  std::unordered_map<u64, std::size_t> event_of_;  // by id
  std::vector<std::byte> records_;
  abi::Sample sample_;
  abi::SampleScratch scratch_;
  u64 lost_ = 0;
};

}  // namespace peregrine
