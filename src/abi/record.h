// RecordView: one record of a perf.data stream or a ring buffer, bounds-checked but not yet decoded.
//
// Fed by data::Reader and the ring buffers. A view borrows its bytes: it is valid as long as the buffer it points into
// (in a replay: until its batch ends). Format: struct perf_event_header {u32 type; u16 misc; u16 size;};
// docs/perf-data.md, "Records".
#pragma once
#include <cstddef>
#include <string_view>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

// perf_event_header.misc
namespace misc_bit {
inline constexpr u16 CpumodeMask = 7, CpumodeUnknown = 0, Kernel = 1, User = 2, Hypervisor = 3, GuestKernel = 4,
                     GuestUser = 5;
inline constexpr u16 ProcMapParseTimeout = 1u << 12;
inline constexpr u16 MmapData = 1u << 13, CommExec = 1u << 13, ForkExec = 1u << 13, SwitchOut = 1u << 13;
inline constexpr u16 ExactIp = 1u << 14, SwitchOutPreempt = 1u << 14, MmapBuildId = 1u << 14;
}  // namespace misc_bit

inline constexpr std::size_t kRecordHeaderSize = 8;

struct RecordView {
  RecordType type{};
  u16 misc = 0;
  Bytes bytes;     // the whole record, header included; size checked against its container
  u64 offset = 0;  // file offset of its start (see `compressed`)
  ByteOrder order = kHostOrder;
  Bytes payload = {};       // follows the record but is not part of its size (tracing data, AUX trace); mostly empty
  bool compressed = false;  // it was inside a COMPRESSED record; `offset` is then that record's

  Bytes body() const { return bytes.subspan(kRecordHeaderSize); }
  u16 cpumode() const { return misc & misc_bit::CpumodeMask; }
};

// "MMAP2", "FINISHED_ROUND", … as in linux-perf's dumps; "UNKNOWN" for unnamed types.
std::string_view record_type_name(RecordType type);

// Types of simpleperf's own records; they keep the upper 16 bits of the size in the misc field.
inline constexpr u32 kSimpleperfFirst = 32768, kSimpleperfTracingData = 32777, kSimpleperfEnd = 32800;
constexpr bool is_simpleperf(u32 type) { return type >= kSimpleperfFirst && type < kSimpleperfEnd; }

// Whether neither the kernel, linux-perf nor simpleperf defines this type.
bool is_unknown(RecordType type);

// Values in a callchain at or above this are context markers, not addresses.
inline constexpr u64 kContextMax = static_cast<u64>(-4095);
inline constexpr u64 kContextHypervisor = static_cast<u64>(-32), kContextKernel = static_cast<u64>(-128),
                     kContextUser = static_cast<u64>(-512), kContextUserDeferred = static_cast<u64>(-640),
                     kContextGuest = static_cast<u64>(-2048), kContextGuestKernel = static_cast<u64>(-2176),
                     kContextGuestUser = static_cast<u64>(-2560);

}  // namespace peregrine::abi
