#include "abi/session_record.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "abi/record_table.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {
namespace {

// Checks a count against the remaining bytes, before anything is allocated for it.
bool fits(const ByteReader& in, u64 count, std::size_t each) { return count <= in.left() / each; }

// u16 kind, then
//   0: u16 count, u16 × CPUs
//   1: u16 words, u16 bytes per word (4 or 8), u32 0 if there are 8, the words
//   2: u8 any, u8, u16 first, u16 last
std::optional<std::vector<u32>> decode_cpus(ByteReader& in) {
  std::vector<u32> cpus;
  const u16 kind = in.get16();
  if (kind == 0) {
    for (u16 left = in.get16(); left > 0 && in.ok(); --left) cpus.push_back(in.get16());
  } else if (kind == 1) {
    const u16 words = in.get16(), width = in.get16();
    if (width != 4 && width != 8) return std::nullopt;
    if (width == 8) in.skip(4);
    for (u32 word = 0; word < words && in.ok(); ++word) {
      u64 bits = width == 8 ? in.get64() : in.get32();
      for (; bits != 0; bits &= bits - 1) cpus.push_back(word * width * 8 + static_cast<u32>(std::countr_zero(bits)));
    }
  } else if (kind == 2) {
    in.skip(2);
    const u32 first = in.get16(), last = in.get16();
    for (u32 cpu = first; cpu <= last && in.ok(); ++cpu) cpus.push_back(cpu);
  }
  if (!in.ok()) cpus.clear();
  return cpus;
}

void read_schedstat_values(SchedstatRecord& record, ByteOrder order) {
  const std::size_t count = record.domain ? schedstat_domain_counters(record.version) : kSchedstatCpuCounters;
  ByteReader in(record.counters, order);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_wide = !record.domain && i >= kSchedstatCpuNarrow;
    if (in.left() < (is_wide ? 8u : 4u)) return;
    record.values.push_back(is_wide ? in.get64() : in.get32());
  }
}

std::optional<SessionRecord> decode_schedstat(ByteReader& in, bool of_domain) {
  SchedstatRecord record;
  record.time = in.get64();
  record.cpu = in.get32();
  record.version = in.get16();
  const u16 domain = in.get16();  // padding in a CPU record
  if (of_domain) record.domain = domain;
  record.counters = in.rest();
  if (is_known_schedstat(record.version)) read_schedstat_values(record, in.order());
  return record;
}

}  // namespace

std::optional<SessionRecord> session_id_index(ByteReader& in) {
  IdIndexRecord record;
  const u64 count = in.get64();
  if (!fits(in, count, 32)) return std::nullopt;
  for (u64 i = 0; i < count; ++i) {
    const u64 id = in.get64(), index = in.get64(), cpu = in.get64(), tid = in.get64();
    record.entries.push_back({id, index, cpu, tid});
  }
  if (count != 0 && fits(in, count, 16)) {
    for (u64 i = 0; i < count; ++i) {
      const u64 machine_pid = in.get64(), vcpu = in.get64();
      record.guests.push_back({machine_pid, vcpu});
    }
  }
  return record;
}

std::optional<SessionRecord> session_thread_map(ByteReader& in) {
  ThreadMapRecord record;
  const u64 count = in.get64();
  if (!fits(in, count, 24)) return std::nullopt;
  for (u64 i = 0; i < count; ++i) {
    const u64 tid = in.get64();
    record.threads.push_back({tid, in.text(16)});
  }
  return record;
}

std::optional<SessionRecord> session_event_update(ByteReader& in) {
  using What = EventUpdateRecord::What;
  EventUpdateRecord record;
  record.what = static_cast<What>(in.get64());
  record.id = in.get64();
  if (record.what == What::Unit || record.what == What::Name) record.text = in.text(in.left());
  if (record.what == What::Scale) record.scale = std::bit_cast<double>(in.get64());
  if (record.what != What::Cpus) return record;
  auto cpus = decode_cpus(in);
  if (!cpus) return std::nullopt;
  record.cpus = std::move(*cpus);
  return record;
}

std::optional<SessionRecord> session_time_conv(ByteReader& in) {
  TimeConvRecord record;
  record.shift = in.get64();
  record.multiplier = in.get64();
  record.zero = in.get64();
  record.has_cycles = in.left() >= 18;
  if (!record.has_cycles) return record;
  record.cycles = in.get64();
  record.mask = in.get64();
  record.cap_zero = in.get8() != 0;
  record.cap_short = in.get8() != 0;
  return record;
}

std::optional<SessionRecord> session_auxtrace(ByteReader& in) {
  AuxtraceRecord record;
  record.size = in.get64();
  record.offset = in.get64();
  record.reference = in.get64();
  record.index = in.get32();
  record.tid = in.get32();
  record.cpu = in.get32();
  return record;
}

std::optional<SessionRecord> session_auxtrace_error(ByteReader& in) {
  AuxtraceErrorRecord record;
  record.type = in.get32();
  record.code = in.get32();
  record.cpu = in.get32();
  record.pid = in.get32();
  record.tid = in.get32();
  record.format = in.get32();
  record.ip = in.get64();
  if (record.format != 0) record.time = in.get64();
  record.message = in.text(std::min<std::size_t>(in.left(), 64));
  return record;
}

std::optional<SessionRecord> session_stat_config(ByteReader& in) {
  StatConfigRecord record;
  const u64 count = in.get64();
  if (!fits(in, count, 16)) return std::nullopt;
  for (u64 i = 0; i < count; ++i) {
    const u64 tag = in.get64(), value = in.get64();
    record.entries.push_back({tag, value});
  }
  return record;
}

std::optional<SessionRecord> session_stat(ByteReader& in) {
  StatRecord record;
  record.id = in.get64();
  record.cpu = static_cast<i32>(in.get32());
  record.thread = in.get32();
  record.value = in.get64();
  record.enabled = in.get64();
  record.running = in.get64();
  return record;
}

std::optional<SessionRecord> session_stat_round(ByteReader& in) {
  const u64 type = in.get64(), time = in.get64();
  return StatRoundRecord{type == 1, time};
}

std::optional<SessionRecord> session_bpf_metadata(ByteReader& in) {
  constexpr std::size_t kName = 512, kKey = 64, kValue = 256;
  BpfMetadataRecord record;
  record.program = in.text(kName);
  const u64 count = in.get64();
  if (!fits(in, count, kKey + kValue)) return std::nullopt;
  for (u64 i = 0; i < count; ++i) {
    const std::string_view key = in.text(kKey), value = in.text(kValue);
    record.entries.push_back({key, value});
  }
  return record;
}

std::optional<SessionRecord> session_cpu_map(ByteReader& in) {
  auto cpus = decode_cpus(in);
  if (!cpus) return std::nullopt;
  return CpuMapRecord{std::move(*cpus)};
}

std::optional<SessionRecord> session_auxtrace_type(ByteReader& in) { return AuxtraceTypeRecord{in.get32()}; }
std::optional<SessionRecord> session_schedstat_cpu(ByteReader& in) { return decode_schedstat(in, false); }
std::optional<SessionRecord> session_schedstat_domain(ByteReader& in) { return decode_schedstat(in, true); }

Result<std::optional<SessionRecord>> decode_session_record(const RecordView& record, std::span<const RecordRow> rows) {
  const RecordRow* row = find_record(record.type, rows);
  if (row == nullptr || row->session == nullptr) return std::nullopt;
  ByteReader in(record.body(), record.order);
  auto value = row->session(in);
  if (!value || !in.ok()) {
    return fail(ErrorKind::Malformed, "{} record at offset {:#x}, {} bytes: the record is too short", row->name,
                record.offset, record.bytes.size());
  }
  return value;
}

Result<std::optional<SessionRecord>> decode_session_record(const RecordView& record) {
  return decode_session_record(record, record_table());
}

}  // namespace peregrine::abi
