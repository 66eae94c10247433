// HitStream: each hit of a few events, as it happens, with the time of CLOCK_MONOTONIC: for who watches something else
// by that clock too (BPF programs) and wants both in one order.
//
//   open(): events stopped ─▶ start() ─▶ drain(), drain(), … ─▶ stop() ─▶ drain()
//
// Nothing wakes the reader: he comes when he likes, before the rings are full. One thread.
#pragma once
#include <vector>

#include "abi/sample.h"
#include "capture/recorder.h"

namespace peregrine {

struct EventHit {
  u64 time = 0;
  std::size_t event = 0;  // place in the list
  Pid pid = 0, tid = 0;
  std::vector<std::byte> raw;  // a tracepoint's record
};

struct HitOptions {
  bool children = true;        // what the threads start, too
  bool at_exec = false;        // start() is for later: the next exec of the threads starts them
  std::size_t ring_bytes = 0;  // 0: default
};

class HitStream {
 public:
  // Errors: of Recorder::open.
  static Result<HitStream> open(EventList events, const Target& target, const PerfLimits& limits,
                                const HitOptions& options);

  Result<> start() { return recorder_.matrix().enable(); }
  Result<> stop() { return recorder_.matrix().disable(); }
  // Appends what happened since the last time, in order of time.
  void drain(std::vector<EventHit>& hits);
  // Hits that there was no room for.
  u64 lost() const { return lost_; }

 private:
  HitStream(Recorder recorder, const EventList& events);
  void read(Bytes records, std::vector<EventHit>& hits);

  Recorder recorder_;
  std::vector<abi::SampleDecoder> decoders_;       // by event
  std::unordered_map<u64, std::size_t> event_of_;  // by id
  std::vector<std::byte> records_;
  abi::SampleScratch scratch_;
  u64 lost_ = 0;
};

}  // namespace peregrine
