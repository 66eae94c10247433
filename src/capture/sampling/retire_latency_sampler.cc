#include "capture/sampling/retire_latency_sampler.h"

#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/result.h"
#include "capture/sampling/hit_reader.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

EventList latency_events(const EventList& events, std::vector<std::size_t>& places) {
  EventList sampled;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].retire_latency) continue;
    EventSpec spec = events[i];
    spec.leader = sampled.size();
    spec.group_size = 1;
    spec.weak_group = spec.sample_read = false;
    spec.attr.sample_type = spec.attr.read_format = 0;
    spec.attr.set(abi::attr_flag::Disabled, false);
    spec.attr.set(abi::attr_flag::EnableOnExec, false);
    sampled.push_back(std::move(spec));
    places.push_back(i);
  }
  return sampled;
}

Result<RetireLatencySampler> RetireLatencySampler::open(const EventList& events, const Target& target,
                                                        const PerfLimits& limits, const RetireLatencyOptions& options) {
  std::vector<std::size_t> places;
  EventList sampled = latency_events(events, places);
  for (const EventSpec& spec : sampled)
    if (static_cast<abi::EventType>(spec.attr.type) == abi::EventType::Software)
      return fail(ErrorKind::Unsupported, "'{}' has no retire latency: it is a software event", spec.name);
  auto stream = HitStream::open(std::move(sampled), target, limits,
                                {.children = options.children, .at_exec = options.at_exec, .latencies = true});
  if (!stream) return std::unexpected(std::move(stream.error()));
  return RetireLatencySampler(std::move(*stream), std::move(places), options.by_thread);
}

void RetireLatencySampler::drain() {
  hits_.clear();
  stream_.drain(hits_, side_band_);
  for (const EventHit& hit : hits_) {
    const abi::Sample* sample = hit.event < places_.size() ? stream_.sample(hit) : nullptr;
    if (sample == nullptr) continue;
    const std::tuple key(places_[hit.event], by_thread_ ? -1 : static_cast<int>(sample->cpu),
                         by_thread_ ? static_cast<Pid>(sample->tid) : -1);
    all_[key].add(sample->weight3, sample->time);
    fresh_[key].add(sample->weight3, sample->time);
  }
}

std::vector<LatencyReading> RetireLatencySampler::since_last() {
  std::vector<LatencyReading> readings = readings_of(fresh_);
  fresh_.clear();
  return readings;
}

std::vector<LatencyReading> RetireLatencySampler::readings_of(const Tallies& tallies) {
  std::vector<LatencyReading> readings;
  for (const auto& [key, tally] : tallies)
    readings.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), tally});
  return readings;
}

}  // namespace peregrine
