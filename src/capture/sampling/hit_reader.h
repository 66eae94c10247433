// HitReader: extracts the hits of a few events, and the side-band between them, from the records of their rings.
#pragma once
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine {

struct EventHit {
  u64 time = 0;
  std::size_t event = 0;          // index in the list
  std::vector<std::byte> record;  // the sample
};

// A record other than a sample.
struct SideBandHit {
  u64 time = 0;
  std::vector<std::byte> record;
};

class HitReader {
 public:
  // `ids`: the ids of each event. Records other than samples are only kept with `side_band`.
  HitReader(EventList events, std::span<const std::vector<u64>> ids, bool side_band);

  // Appends the complete records at the start of `records`, in order. Samples with unknown ids are skipped.
  void read(Bytes records, std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band) const;
  // Decodes a hit; valid until the next call. Null if it is malformed.
  const abi::Sample* sample(const EventHit& hit);
  const EventList& events() const { return events_; }

 private:
  EventList events_;
  bool side_band_;
  std::vector<abi::SampleDecoder> decoders_;       // by event
  std::unordered_map<u64, std::size_t> event_of_;  // by id
  abi::Sample sample_;
  abi::SampleScratch scratch_;
};

}  // namespace peregrine
