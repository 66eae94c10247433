// SessionRecord: the user-space records a recorder writes about its session: what was recorded, on which CPUs, which id
// belongs to which event, how to convert clocks, and where the AUX data is.
//
// decode_session_record() is the last code that sees their bytes. Strings borrow from the record. The data room handles
// HEADER_* records, which complete a pipe's header. Format: docs/perf-data.md, "Records of the tool".
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::abi {

struct IdIndexRecord {
  struct Entry {
    u64 id = 0, index = 0, cpu = 0, tid = 0;
  };
  struct Guest {
    u64 machine_pid = 0, vcpu = 0;
  };
  std::vector<Entry> entries;
  std::vector<Guest> guests;  // one per entry, or empty
};
struct ThreadMapRecord {
  struct Entry {
    u64 tid = 0;
    std::string_view comm;
  };
  std::vector<Entry> threads;
};
struct CpuMapRecord {
  std::vector<u32> cpus;
};
// A property of the event with that id.
struct EventUpdateRecord {
  enum class What : u64 { Unit = 0, Scale = 1, Name = 2, Cpus = 3 };
  What what{};
  u64 id = 0;
  std::string_view text;  // unit or name
  double scale = 0;
  std::vector<u32> cpus;
};
struct TimeConvRecord {
  u64 shift = 0, multiplier = 0, zero = 0;
  bool has_cycles = false;  // the fields below are valid (linux 5.10 and later)
  u64 cycles = 0, mask = 0;
  bool cap_zero = false, cap_short = false;
};
struct AuxtraceTypeRecord {
  u32 type = 0;  // 1 Intel PT, 2 Intel BTS, 3 CoreSight ETM, 4 ARM SPE, 5 S390 sampling, 6 HiSilicon PTT
};
struct AuxtraceRecord {
  u64 size = 0, offset = 0, reference = 0;
  u32 index = 0, tid = 0, cpu = 0;
};
// Settings of `stat record`: tag 0 is the aggregation mode, 1 the interval in ms, 2 whether counts are scaled.
struct StatConfigRecord {
  struct Entry {
    u64 tag = 0, value = 0;
  };
  std::vector<Entry> entries;
};
// One counter's reading, a running total; times in ns.
struct StatRecord {
  u64 id = 0;
  i32 cpu = 0;     // -1: all CPUs
  u32 thread = 0;  // index into the thread map
  u64 value = 0, enabled = 0, running = 0;
};
// Ends the readings of one interval or of the run.
struct StatRoundRecord {
  bool last = false;  // false: an interval
  u64 time = 0;       // ns since counting began
};
// Metadata that a BPF program's author put into string variables named bpf_metadata_KEY (linux-perf 6.17 and later).
struct BpfMetadataRecord {
  struct Entry {
    std::string_view key, value;
  };
  std::string_view program;
  std::vector<Entry> entries;
};
// A line of /proc/schedstat (SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN; linux-perf 7). The version decides the counters.
struct SchedstatRecord {
  u64 time = 0;  // jiffies
  u32 cpu = 0;
  u16 version = 0;
  std::optional<u16> domain;  // empty for a CPU's line
  Bytes counters;
  std::vector<u64> values = {};  // `counters` decoded; incomplete ones are dropped
};
// Versions 15 to 17. A CPU's line has 6 32-bit numbers, then 3 64-bit ones (ns running, ns waiting, runs); a domain's
// has only 32-bit numbers.
inline constexpr std::size_t kSchedstatCpuNarrow = 6, kSchedstatCpuCounters = 9;
constexpr std::size_t schedstat_domain_counters(u32 version) { return version >= 17 ? 45 : 36; }
constexpr bool is_known_schedstat(u32 version) { return version >= 15 && version <= 17; }
struct AuxtraceErrorRecord {
  u32 type = 0, code = 0, cpu = 0, pid = 0, tid = 0, format = 0;
  u64 ip = 0, time = 0;
  std::string_view message;
};

using SessionRecord = std::variant<IdIndexRecord, ThreadMapRecord, CpuMapRecord, EventUpdateRecord, TimeConvRecord,
                                   AuxtraceTypeRecord, AuxtraceRecord, AuxtraceErrorRecord, StatConfigRecord,
                                   StatRecord, StatRoundRecord, BpfMetadataRecord, SchedstatRecord>;

// Empty if the type is not one of these. Malformed: the body is shorter than its counts claim.
Result<std::optional<SessionRecord>> decode_session_record(const RecordView& record);

}  // namespace peregrine::abi
