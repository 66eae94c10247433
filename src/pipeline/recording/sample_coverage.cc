#include "pipeline/recording/sample_coverage.h"

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;
constexpr u64 kSecond = 1'000'000'000;
constexpr u64 kLeastSamples = 200;  // fewer samples do not allow a judgement

u64 ns_of(const timeval& time) {
  return static_cast<u64>(time.tv_sec) * kSecond + static_cast<u64>(time.tv_usec) * 1000;
}

bool is_clock(const EventSpec& spec) {
  if (spec.attr.type != static_cast<u32>(abi::EventType::Software)) return false;
  const auto event = static_cast<abi::SoftwareEvent>(spec.attr.config);
  return event == abi::SoftwareEvent::CpuClock || event == abi::SoftwareEvent::TaskClock;
}

// The period of a clock event that samples everything its threads do; 0 for other events.
u64 clock_period(const EventSpec& spec) {
  const bool partial =
      spec.attr.has(flag::ExcludeUser) || spec.attr.has(flag::ExcludeKernel) || spec.attr.has(flag::WriteBackward);
  if (!is_clock(spec) || partial || spec.filter || !spec.cgroup.empty()) return 0;
  if (!spec.attr.has(flag::Inherit) || !spec.attr.has(flag::EnableOnExec)) return 0;
  if (!spec.attr.has(flag::Freq)) return spec.attr.sample_period;
  return spec.attr.sample_period == 0 ? 0 : kSecond / spec.attr.sample_period;
}

}  // namespace

std::optional<SampleCoverage> sample_coverage(const EventList& events, const RecordingSummary& summary) {
  if (!summary.exit || summary.stopped_by || !summary.losses.empty() || summary.filtered_out != 0) return std::nullopt;
  const EventSpec* sampled = nullptr;
  for (const EventSpec& spec : events) {
    if (spec.is_dummy()) continue;
    if (sampled != nullptr) return std::nullopt;
    sampled = &spec;
  }
  const u64 period = sampled != nullptr ? clock_period(*sampled) : 0;
  if (period == 0) return std::nullopt;
  const rusage& usage = summary.exit->usage;
  const SampleCoverage coverage{summary.samples * period, ns_of(usage.ru_utime) + ns_of(usage.ru_stime), period};
  if (coverage.used_ns / period < kLeastSamples) return std::nullopt;
  return coverage;
}

}  // namespace peregrine
