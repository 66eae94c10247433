#include "capture/hit_stream.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "abi/record_walk.h"

namespace peregrine {
namespace {

void configure(EventSpec& spec, const HitOptions& options) {
  abi::EventAttr& attr = spec.attr;
  attr.set(abi::attr_flag::Freq, false);
  attr.sample_period = spec.terms.period.value_or(1);
  attr.sample_type = abi::sample_bit::Identifier | abi::sample_bit::Tid | abi::sample_bit::Time | abi::sample_bit::Raw;
  attr.read_format = 0;
  attr.set(abi::attr_flag::UseClockid);
  attr.clockid = CLOCK_MONOTONIC;
  attr.set(abi::attr_flag::Disabled);
  attr.set(abi::attr_flag::EnableOnExec, options.at_exec);
  attr.set(abi::attr_flag::Inherit, options.children);
  attr.set(abi::attr_flag::Watermark);
  attr.wakeup_events = std::numeric_limits<u32>::max();
}

}  // namespace

HitStream::HitStream(Recorder recorder, const EventList& events) : recorder_(std::move(recorder)) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    decoders_.emplace_back(events[i].attr);
    for (const u64 id : recorder_.ids()[i]) event_of_[id] = i;
  }
}

Result<HitStream> HitStream::open(EventList events, const Target& target, const PerfLimits& limits,
                                  const HitOptions& options) {
  for (EventSpec& spec : events) configure(spec, options);
  std::vector<std::string> warnings;
  auto recorder = Recorder::open(events, target, limits, options.ring_bytes, warnings);
  if (!recorder) return std::unexpected(std::move(recorder.error()));
  return HitStream(std::move(*recorder), events);
}

void HitStream::drain(std::vector<EventHit>& hits) {
  const auto old = static_cast<std::ptrdiff_t>(hits.size());
  for (Ring& ring : recorder_.rings()) {
    const RingSpan span = ring.buffer.available();
    if (span.empty()) continue;
    RingTally tally;
    tally_records(span, tally);
    lost_ += tally.lost_records;
    records_.assign(span.first.begin(), span.first.end());
    records_.insert(records_.end(), span.second.begin(), span.second.end());
    ring.buffer.consume(span.size());
    read(records_, hits);
  }
  std::ranges::stable_sort(hits.begin() + old, hits.end(), {}, &EventHit::time);
}

void HitStream::read(Bytes records, std::vector<EventHit>& hits) {
  while (const auto record = abi::first_record(records)) {
    records = records.subspan(record->bytes.size());
    if (record->type != abi::RecordType::Sample) continue;
    const auto event = event_of_.find(decoders_[0].id_of(*record));
    abi::Sample sample;
    if (event == event_of_.end() || !decoders_[event->second].decode(*record, sample, scratch_)) continue;
    hits.push_back({.time = sample.time,
                    .event = event->second,
                    .pid = static_cast<Pid>(sample.pid),
                    .tid = static_cast<Pid>(sample.tid),
                    .raw = {sample.raw.begin(), sample.raw.end()}});
  }
}

}  // namespace peregrine
