#include "script/script_sink.h"

#include <bitset>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"

namespace peregrine::script {

namespace {

constexpr u64 kAggregationTag = 0, kAggregationGlobal = 1;  // of STAT_CONFIG

}  // namespace

std::bitset<128> ScriptSink::shown(const Hooks& hooks) {
  using abi::RecordType;
  std::bitset<128> types;
  types[static_cast<std::size_t>(RecordType::Throttle)] = hooks.throttle;
  types[static_cast<std::size_t>(RecordType::Unthrottle)] = hooks.unthrottle;
  types[static_cast<std::size_t>(RecordType::Switch)] = hooks.context_switch;
  types[static_cast<std::size_t>(RecordType::SwitchCpuWide)] = hooks.context_switch;
  return types;
}

void ScriptSink::begin_batch() {
  if (plans_.size() == evlist_.size()) return;
  const std::vector<std::string> names = names_();
  going_ = interpreter_.enter() && going_;
  for (std::size_t i = plans_.size(); i < evlist_.size(); ++i) {
    const data::Event& event = evlist_[i];
    const bool traced = event.attr.type == static_cast<u32>(abi::EventType::Tracepoint);
    const u64 id = event.attr.config;
    plans_.push_back(plan_event(event, names[i], traced ? formats_.format(id) : nullptr,
                                traced ? formats_.print_format(id) : nullptr));
    taken_.push_back(interpreter_.add_event(plans_.back()));
  }
  interpreter_.leave();
}

void ScriptSink::sample(const ReplaySample& sample, Resolver& resolver, unsigned) {
  if (!going_ || (switch_.any() && switch_.discards(sample.event)) || !taken_[sample.event]) return;
  answers_.take(sample, resolver);
  going_ = interpreter_.sample(sample);
}

void ScriptSink::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (!going_ || record.side_band == nullptr) return;
  if (const auto* throttle = std::get_if<abi::ThrottleRecord>(&record.side_band->body)) {
    going_ = interpreter_.throttle(*throttle, record.side_band->id);
  } else if (const auto* change = std::get_if<abi::SwitchRecord>(&record.side_band->body)) {
    going_ = interpreter_.context_switch(*change, record.side_band->id);
  }
}

void ScriptSink::record(const ReplayRecord& whole, Resolver&, unsigned) {
  if (!going_ || whole.record.type < abi::RecordType::UserTypeStart) return;
  const auto decoded = abi::decode_session_record(whole.record);
  if (!decoded || !*decoded) return;  // the reader counts malformed records
  if (const auto* threads = std::get_if<abi::ThreadMapRecord>(&**decoded)) {
    threads_.clear();
    for (const auto& thread : threads->threads) threads_.push_back(static_cast<i32>(thread.tid));
  } else if (const auto* settings = std::get_if<abi::StatConfigRecord>(&**decoded)) {
    for (const auto& entry : settings->entries)
      if (entry.tag == kAggregationTag) readings_are_summed_ = entry.value == kAggregationGlobal;
  } else if (const auto* reading = std::get_if<abi::StatRecord>(&**decoded)) {
    const u32 event = evlist_.find_id(reading->id);
    if (event != data::kNoEvent) readings_[{event, reading->thread, reading->cpu}] = *reading;
  } else if (const auto* ended = std::get_if<abi::StatRoundRecord>(&**decoded)) {
    round(ended->time);
  } else if (const auto* error = std::get_if<abi::AuxtraceErrorRecord>(&**decoded)) {
    going_ = interpreter_.auxtrace_error({.type = error->type,
                                          .code = error->code,
                                          .cpu = static_cast<i32>(error->cpu),
                                          .pid = static_cast<i32>(error->pid),
                                          .tid = static_cast<i32>(error->tid),
                                          .ip = error->ip,
                                          .time = error->time,
                                          .message = error->message});
  }
}

// Sums over all CPUs and threads. Like linux-perf, passes neither a CPU nor a thread.
void ScriptSink::sum_readings(u64 time) {
  for (auto reading = readings_.begin(); reading != readings_.end() && going_;) {
    const u32 event = std::get<0>(reading->first);
    Reading sum{.event = plans_[event].name, .time = time};
    for (; reading != readings_.end() && std::get<0>(reading->first) == event; ++reading) {
      sum.value += reading->second.value;
      sum.enabled += reading->second.enabled;
      sum.running += reading->second.running;
    }
    going_ = interpreter_.reading(sum);
  }
}

void ScriptSink::round(u64 time) {
  if (readings_are_summed_) {
    sum_readings(time);
    if (going_) going_ = interpreter_.interval(time);
    return;
  }
  for (const auto& [place, reading] : readings_) {
    if (!going_) return;
    going_ = interpreter_.reading({.event = plans_[std::get<0>(place)].name,
                                   .cpu = reading.cpu,
                                   .thread = reading.thread < threads_.size() ? threads_[reading.thread] : -1,
                                   .time = time,
                                   .value = reading.value,
                                   .enabled = reading.enabled,
                                   .running = reading.running});
  }
  if (going_) going_ = interpreter_.interval(time);
}

}  // namespace peregrine::script
