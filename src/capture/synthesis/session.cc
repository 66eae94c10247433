#include "capture/synthesis/session.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "base/types.h"
#include "capture/synthesis/record_encoder.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

// A record's size has 16 bits.
constexpr std::size_t kIdIndexPerRecord = (0xffff - 16) / 32;

void put_cpu_list(const CpuList& cpus, ByteWriter& body) {
  constexpr u16 kTypeCpus = 0, kTypeRange = 2;
  const bool range =
      !cpus.empty() && cpus.front() >= 0 && static_cast<std::size_t>(cpus.back() - cpus.front()) + 1 == cpus.size();
  if (range) {
    body.put16(kTypeRange).put8(0).put8(0);
    body.put16(static_cast<u16>(cpus.front())).put16(static_cast<u16>(cpus.back()));
    return;
  }
  body.put16(kTypeCpus).put16(static_cast<u16>(cpus.size()));
  for (const int cpu : cpus) body.put16(static_cast<u16>(cpu));
}

}  // namespace

void synthesize_id_index(const std::vector<IdIndexEntry>& entries, ByteWriter& out) {
  for (std::size_t at = 0; at < entries.size(); at += kIdIndexPerRecord) {
    const std::size_t count = std::min(kIdIndexPerRecord, entries.size() - at);
    RecordEncoder record(out, abi::RecordType::IdIndex, 0);
    record.body().put64(count);
    for (std::size_t index = at; index < at + count; ++index) {
      const auto& entry = entries[index];
      record.body().put64(entry.id).put64(entry.ring).put64(entry.cpu).put64(entry.tid);
    }
    record.end();
  }
}

void synthesize_thread_map(const std::vector<ThreadMapEntry>& threads, ByteWriter& out) {
  constexpr std::size_t kCommSize = 16, kPerRecord = (0xffff - 16) / 24;
  const std::size_t count = std::min(threads.size(), kPerRecord);
  RecordEncoder record(out, abi::RecordType::ThreadMap, 0);
  record.body().put64(count);
  for (std::size_t index = 0; index < count; ++index) {
    const std::string comm = threads[index].comm.substr(0, kCommSize - 1);
    record.body().put64(static_cast<u64>(threads[index].tid)).append(comm).zeros(kCommSize - comm.size());
  }
  record.end();
}

void synthesize_cpu_map(const CpuList& cpus, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::CpuMap, 0);
  put_cpu_list(cpus, record.body());
  record.end();
}

void synthesize_time_conversion(const RingClock& clock, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::TimeConv, 0);
  record.body().put64(clock.time_shift).put64(clock.time_mult).put64(clock.time_zero);
  record.body().put64(clock.time_cycles).put64(clock.time_mask);
  record.body().put8(1).put8(clock.user_time_short ? 1 : 0);
  record.end();
}

void synthesize_finished_init(ByteWriter& out) { RecordEncoder(out, abi::RecordType::FinishedInit, 0).end(); }
void synthesize_finished_round(ByteWriter& out) { RecordEncoder(out, abi::RecordType::FinishedRound, 0).end(); }

void synthesize_stat_config(const abi::StatConfigRecord& settings, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::StatConfig, 0);
  record.body().put64(settings.entries.size());
  for (const auto& entry : settings.entries) record.body().put64(entry.tag).put64(entry.value);
  record.end();
}

void synthesize_stat(const abi::StatRecord& reading, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::Stat, 0);
  record.body().put64(reading.id).put32(static_cast<u32>(reading.cpu)).put32(reading.thread);
  record.body().put64(reading.value).put64(reading.enabled).put64(reading.running);
  record.end();
}

void synthesize_stat_round(const abi::StatRoundRecord& round, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::StatRound, 0);
  record.body().put64(round.last ? 1 : 0).put64(round.time);
  record.end();
}

void synthesize_schedstat(const abi::SchedstatRecord& line, ByteWriter& out) {
  RecordEncoder record(out, line.domain ? abi::RecordType::SchedstatDomain : abi::RecordType::SchedstatCpu, 0);
  ByteWriter& body = record.body();
  body.put64(line.time).put32(line.cpu).put16(line.version).put16(line.domain.value_or(0));
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!line.domain && i >= abi::kSchedstatCpuNarrow)
      body.put64(line.values[i]);
    else
      body.put32(static_cast<u32>(line.values[i]));
  }
  if (line.domain && line.values.size() % 2 != 0) body.put32(0);  // records are padded to eight bytes
  record.end();
}

void synthesize_lost_samples(const abi::EventAttr& attr, u64 id, int cpu, u64 lost, ByteWriter& out) {
  namespace bit = abi::sample_bit;
  RecordEncoder record(out, abi::RecordType::LostSamples, 0);
  auto& body = record.body();
  body.put64(lost);
  if (attr.has(abi::attr_flag::SampleIdAll)) {
    if (attr.samples(bit::Tid)) body.put64(~u64{0});
    if (attr.samples(bit::Time)) body.put64(0);
    if (attr.samples(bit::Id)) body.put64(id);
    if (attr.samples(bit::StreamId)) body.put64(0);
    if (attr.samples(bit::Cpu)) body.put32(static_cast<u32>(cpu)).put32(0);
    if (attr.samples(bit::Identifier)) body.put64(id);
  }
  record.end();
}

}  // namespace peregrine
