#include "capture/sampling/hit_reader.h"

#include <cstddef>
#include <utility>

#include "abi/record_rows.h"
#include "abi/record_walk.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

std::vector<std::byte> copied(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

HitReader::HitReader(EventList events, std::span<const std::vector<u64>> ids, bool side_band)
    : events_(std::move(events)), side_band_(side_band) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    decoders_.emplace_back(events_[i].attr);
    for (const u64 id : ids[i]) event_of_[id] = i;
  }
}

void HitReader::read(Bytes records, std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band) const {
  while (const auto record = abi::first_record(records)) {
    records = records.subspan(record->bytes.size());
    if (record->type != abi::RecordType::Sample) {
      if (side_band_) side_band.push_back({abi::side_band_time(*record, events_.front().attr), copied(record->bytes)});
      continue;
    }
    const auto event = event_of_.find(decoders_[0].id_of(*record));
    if (event == event_of_.end()) continue;
    hits.push_back({decoders_[event->second].time_of(*record), event->second, copied(record->bytes)});
  }
}

const abi::Sample* HitReader::sample(const EventHit& hit) {
  const auto record = abi::first_record(hit.record);
  return record && decoders_[hit.event].decode(*record, sample_, scratch_) ? &sample_ : nullptr;
}

}  // namespace peregrine
