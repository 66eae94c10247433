// RecordView: one record of a perf.data stream or a ring buffer, bounds-checked but not yet decoded.
//
// Fed by data::Reader and the ring buffers. A view borrows its bytes: it is valid as long as the buffer it points into
// (in a replay: until its batch ends). Format: struct perf_event_header {u32 type; u16 misc; u16 size;};
// docs/perf-data.md, "Records".
#pragma once
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

// PERF_RECORD_*: the kernel's are below 64, the perf tool's start at 64. Unknown numbers are valid values.
enum class RecordType : u32 {
  Mmap = 1,
  Lost = 2,
  Comm = 3,
  Exit = 4,
  Throttle = 5,
  Unthrottle = 6,
  Fork = 7,
  Read = 8,
  Sample = 9,
  Mmap2 = 10,
  Aux = 11,
  ItraceStart = 12,
  LostSamples = 13,
  Switch = 14,
  SwitchCpuWide = 15,
  Namespaces = 16,
  Ksymbol = 17,
  BpfEvent = 18,
  Cgroup = 19,
  TextPoke = 20,
  AuxOutputHwId = 21,
  CallchainDeferred = 22,
  UserTypeStart = 64,
  HeaderAttr = 64,
  HeaderEventType = 65,
  HeaderTracingData = 66,
  HeaderBuildId = 67,
  FinishedRound = 68,
  IdIndex = 69,
  AuxtraceInfo = 70,
  Auxtrace = 71,
  AuxtraceError = 72,
  ThreadMap = 73,
  CpuMap = 74,
  StatConfig = 75,
  Stat = 76,
  StatRound = 77,
  EventUpdate = 78,
  TimeConv = 79,
  HeaderFeature = 80,
  Compressed = 81,
  FinishedInit = 82,
  Compressed2 = 83,
  BpfMetadata = 84,
  SchedstatCpu = 85,
  SchedstatDomain = 86,
};

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
