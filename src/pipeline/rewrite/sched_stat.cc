#include "pipeline/rewrite/sched_stat.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"

namespace peregrine {
namespace {

// Overwrites a u64 field if the record has it.
void patch(std::vector<std::byte>& record, u32 at, u64 value, ByteOrder order) {
  if (at == abi::kAbsent || at + 8 > record.size()) return;
  ByteWriter bytes(order);
  bytes.put64(value);
  std::ranges::copy(bytes.bytes(), record.begin() + at);
}

}  // namespace

const SchedStatMerge::EventKind& SchedStatMerge::kind_of(u32 event) {
  if (!has_tracing_) {
    has_tracing_ = true;
    if (const auto bytes = reader_.read_feature(static_cast<u32>(data::FeatureId::TracingData))) {
      if (auto decoded = decode_tracing_data(*bytes)) tracing_ = std::move(*decoded);
    }
  }
  while (kinds_.size() <= event) {
    EventKind& kind = kinds_.emplace_back();
    const abi::EventAttr& attr = reader_.evlist()[kinds_.size() - 1].attr;
    if (attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    const TraceFormat* format = tracing_.find(static_cast<u32>(attr.config));
    if (format == nullptr || format->system != "sched") continue;
    if (format->name == "sched_switch") kind.kind = Kind::Switch;
    if (format->name == "sched_process_exit") kind.kind = Kind::Exit;
    const TraceField* pid = format->find("pid");
    if (!format->name.starts_with("sched_stat_") || pid == nullptr || pid->size != 4) continue;
    kind = {Kind::Stat, pid->offset, pid->size};
  }
  return kinds_[event];
}

Bytes SchedStatMerge::edit(const abi::RecordView& record) {
  if (record.type != abi::RecordType::Sample) return record.bytes;
  const u32 event = reader_.evlist().event_of(record);
  if (event == data::kNoEvent) return record.bytes;
  const EventKind& kind = kind_of(event);
  if (kind.kind == Kind::Other) return record.bytes;
  abi::Sample sample;
  if (!reader_.evlist().decoder(event).decode(record, sample, scratch_)) return record.bytes;
  if (kind.kind == Kind::Stat) return merge(record, sample, kind);
  // A switch is held back, one for each thread, until a sched_stat event says how long the thread then slept or
  // waited.
  if (kind.kind == Kind::Exit) {
    switches_.erase(sample.tid);
  } else {
    switches_[sample.tid] = {event, {record.bytes.begin(), record.bytes.end()}};
  }
  return {};
}

Bytes SchedStatMerge::merge(const abi::RecordView& record, const abi::Sample& sample, const EventKind& kind) {
  if (kind.pid_at > sample.raw.size() || kind.pid_size > sample.raw.size() - kind.pid_at) return record.bytes;
  ++found_;
  const u32 pid = load<u32>(sample.raw.data() + kind.pid_at, record.order);
  const auto found = switches_.find(pid);
  if (found == switches_.end()) {
    ++unmatched_;
    return {};
  }
  const abi::SampleOffsets& at = reader_.evlist().decoder(found->second.event).offsets();
  merged_ = found->second.bytes;
  patch(merged_, at.period, sample.period, record.order);
  patch(merged_, at.time, sample.time, record.order);
  return merged_;
}

}  // namespace peregrine
