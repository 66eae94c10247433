#include "capture/sampling/hit_stream.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <expected>
#include <limits>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "capture/target/target.h"
#include "event/spec.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

constexpr u64 kLatencyRate = 4000;  // Hz, the default of record

SampledTarget sampled_target(const Target& target) {
  return {.system_wide = target.kind == TargetKind::Cpus, .has_pids = target.kind == TargetKind::Threads};
}

}  // namespace

RecordConfig hit_config(const Target& target, const PerfLimits& limits, const HitOptions& options) {
  RecordConfig wanted;
  if (options.latencies)
    wanted.sampling.frequency =
        std::min(kLatencyRate, static_cast<u64>(std::max<i64>(limits.max_sample_rate.value_or(kLatencyRate), 1)));
  else
    wanted.sampling.period = 1;
  // With an initial delay, the maps of a command are recorded from its exec on, before hits begin.
  wanted.sampling.initial_delay_ms = target.kind == TargetKind::Workload && !options.at_exec ? 1 : 0;
  wanted.sampling.inherit = options.children;
  wanted.sampling.clockid = CLOCK_MONOTONIC;
  wanted.fields.raw = !options.latencies;
  wanted.fields.cpu = options.latencies;
  if (options.latencies) wanted.fields.timestamps = true;
  wanted.fields.identifier = true;
  wanted.fields.addresses = options.addresses;
  wanted.callchains.callgraph = options.callgraph;
  wanted.side_band.bpf_events = false;
  return wanted;
}

Result<HitStream> HitStream::open(EventList events, const Target& target, const PerfLimits& limits,
                                  const HitOptions& options) {
  std::vector<std::string> warnings;
  PEREGRINE_TRY(configure_for_record(sampled_target(target), hit_config(target, limits, options), events, warnings));
  for (EventSpec& spec : events) {
    spec.attr.set(abi::attr_flag::Watermark);
    spec.attr.wakeup_events = std::numeric_limits<u32>::max();
    spec.from_pattern = false;  // callers refer to events by index: none may be left out
  }
  auto recorder = Recorder::open(events, target, limits, options.ring_bytes, warnings);
  if (!recorder) return std::unexpected(std::move(recorder.error()));
  // Without a PMU the recorder falls back to CPU time, which has no latencies.
  for (const EventSpec& spec : events)
    if (options.latencies && static_cast<abi::EventType>(spec.attr.type) == abi::EventType::Software)
      return fail(ErrorKind::Unsupported, "'{}' cannot be sampled: no hardware counters here", spec.name);
  return HitStream(std::move(*recorder), std::move(events), options.side_band);
}

void HitStream::drain(std::vector<EventHit>& hits, std::vector<SideBandHit>& side_band) {
  const auto old_hits = static_cast<std::ptrdiff_t>(hits.size());
  const auto old_side_band = static_cast<std::ptrdiff_t>(side_band.size());
  for (Ring& ring : recorder_.rings()) {
    const RingSpan span = ring.buffer.available();
    if (span.empty()) continue;
    RingTally tally;
    tally_records(span, tally);
    lost_ += tally.lost_records;
    records_.assign(span.first.begin(), span.first.end());
    records_.insert(records_.end(), span.second.begin(), span.second.end());
    ring.buffer.consume(span.size());
    reader_.read(records_, hits, side_band);
  }
  std::ranges::stable_sort(hits.begin() + old_hits, hits.end(), {}, &EventHit::time);
  std::ranges::stable_sort(side_band.begin() + old_side_band, side_band.end(), {}, &SideBandHit::time);
}

}  // namespace peregrine
