// SessionRecord: the records that a recorder writes about its session, above the kernel's: who was watched, on which
// CPUs, which id means which event, how clocks convert, where AUX data lies.
//
// decode_session_record() is the last code that sees their bytes. Strings borrow from the record. HEADER_* records,
// which complete a pipe's header, are data's. Format: docs/perf-data.md, "Records of the tool".
#pragma once
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "abi/record.h"
#include "base/result.h"

namespace peregrine::abi {

struct IdIndexRecord {
  struct Entry {
    u64 id = 0, index = 0, cpu = 0, tid = 0;
  };
  struct Guest {
    u64 machine_pid = 0, vcpu = 0;
  };
  std::vector<Entry> entries;
  std::vector<Guest> guests;  // one per entry, or none
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
// What EVENT_UPDATE says of the event with that id.
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
  bool has_cycles = false;  // the fields below hold (linux 5.10 on)
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
// Settings of a `stat record`: tag 0 the aggregation mode, 1 the interval in ms, 2 whether counts are scaled.
struct StatConfigRecord {
  struct Entry {
    u64 tag = 0, value = 0;
  };
  std::vector<Entry> entries;
};
// One counter's reading, a running total; times in ns.
struct StatRecord {
  u64 id = 0;
  i32 cpu = 0;     // -1: all
  u32 thread = 0;  // index into the thread map
  u64 value = 0, enabled = 0, running = 0;
};
// Ends the readings of one moment.
struct StatRoundRecord {
  bool last = false;  // false: of an interval
  u64 time = 0;       // ns since counting began
};
// What a BPF program's author says of it: its string variables named bpf_metadata_KEY (linux-perf 6.17 on).
struct BpfMetadataRecord {
  struct Entry {
    std::string_view key, value;
  };
  std::string_view program;
  std::vector<Entry> entries;
};
// A line of /proc/schedstat (SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN; linux-perf 7). Which counters there are depends on the
// version.
struct SchedstatRecord {
  u64 time = 0;  // jiffies
  u32 cpu = 0;
  u16 version = 0;
  std::optional<u16> domain;  // nothing: of the CPU
  Bytes counters;
  std::vector<u64> values = {};  // of the counters, as many as are whole
};
// Versions 15 to 17. A CPU's line: 6 numbers of 32 bits, then 3 of 64 bits (ns of runtime, ns of delay, runs); a
// domain's: only numbers of 32 bits.
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

// Empty when the type is not one of these; an error (Malformed) when the body is shorter than its counts say.
Result<std::optional<SessionRecord>> decode_session_record(const RecordView& record);

}  // namespace peregrine::abi
