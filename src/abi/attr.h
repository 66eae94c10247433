// EventAttr: the argument of perf_event_open(2) as host values, and its encoding in files of any age and byte order.
//
// Format: struct perf_event_attr in include/uapi/linux/perf_event.h. The struct grew at its end (sizes 64, 72, 80, 96,
// 104, 112, 120, 128, 136, 144); decoding keeps fields it does not know in `unknown_tail`, so that a copy is exact. The
// flags are a C bit-field, so a file of the other byte order also has the bits of each byte reversed.
#pragma once
#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::abi {

enum class EventType : u32 { Hardware = 0, Software = 1, Tracepoint = 2, HwCache = 3, Raw = 4, Breakpoint = 5 };

// attr.type of events synthesized by hardware trace decoders (linux-perf's PERF_TYPE_SYNTH); attr.config is a
// DecodedEvent.
inline constexpr u32 kDecodedType = 0x80000000u;
enum class DecodedEvent : u64 { Ptwrite, Mwait, PowerEntry, ExStop, PowerExit, CoreBusRatio, Synchronisation };

enum class HardwareEvent : u64 {
  Cycles,
  Instructions,
  CacheReferences,
  CacheMisses,
  BranchInstructions,
  BranchMisses,
  BusCycles,
  StalledCyclesFrontend,
  StalledCyclesBackend,
  RefCycles,
};
enum class SoftwareEvent : u64 {
  CpuClock,
  TaskClock,
  PageFaults,
  ContextSwitches,
  CpuMigrations,
  MinorFaults,
  MajorFaults,
  AlignmentFaults,
  EmulationFaults,
  Dummy,
  BpfOutput,
  CgroupSwitches,
};

// PERF_SAMPLE_*: which fields a sample carries (attr.sample_type).
namespace sample_bit {
inline constexpr u64 Ip = 1u << 0, Tid = 1u << 1, Time = 1u << 2, Addr = 1u << 3, Read = 1u << 4, Callchain = 1u << 5,
                     Id = 1u << 6, Cpu = 1u << 7, Period = 1u << 8, StreamId = 1u << 9, Raw = 1u << 10,
                     BranchStack = 1u << 11, RegsUser = 1u << 12, StackUser = 1u << 13, Weight = 1u << 14,
                     DataSrc = 1u << 15, Identifier = 1u << 16, Transaction = 1u << 17, RegsIntr = 1u << 18,
                     PhysAddr = 1u << 19, Aux = 1u << 20, Cgroup = 1u << 21, DataPageSize = 1u << 22,
                     CodePageSize = 1u << 23, WeightStruct = 1u << 24;
// Private: set between a hardware trace decoder and its consumers, never in a file. See abi::TraceFacts.
inline constexpr u64 Traced = 1ull << 62;
}  // namespace sample_bit

// PERF_SAMPLE_BRANCH_*: first the privilege levels to record, then the kinds of branch, then the fields of each.
namespace branch_bit {
inline constexpr u64 User = 1u << 0, Kernel = 1u << 1, Hypervisor = 1u << 2, Any = 1u << 3, AnyCall = 1u << 4,
                     AnyReturn = 1u << 5, IndirectCall = 1u << 6, AbortTransaction = 1u << 7, InTransaction = 1u << 8,
                     NoTransaction = 1u << 9, Conditional = 1u << 10, CallStack = 1u << 11, IndirectJump = 1u << 12,
                     Call = 1u << 13, NoFlags = 1u << 14, NoCycles = 1u << 15, TypeSave = 1u << 16, HwIndex = 1u << 17,
                     PrivilegeSave = 1u << 18, Counters = 1u << 19;
}  // namespace branch_bit

// PERF_FORMAT_*: what read(2) and PERF_SAMPLE_READ return (attr.read_format).
namespace read_bit {
inline constexpr u64 TotalTimeEnabled = 1u << 0, TotalTimeRunning = 1u << 1, Id = 1u << 2, Group = 1u << 3,
                     Lost = 1u << 4;
}  // namespace read_bit

// Bits of the flag word; bit 0 is the least significant bit of a little-endian file.
namespace attr_flag {
inline constexpr u64 Disabled = 1ull << 0, Inherit = 1ull << 1, Pinned = 1ull << 2, Exclusive = 1ull << 3,
                     ExcludeUser = 1ull << 4, ExcludeKernel = 1ull << 5, ExcludeHv = 1ull << 6, ExcludeIdle = 1ull << 7,
                     Mmap = 1ull << 8, Comm = 1ull << 9, Freq = 1ull << 10, InheritStat = 1ull << 11,
                     EnableOnExec = 1ull << 12, Task = 1ull << 13, Watermark = 1ull << 14, PreciseIpShift = 15,
                     PreciseIpMask = 3ull << 15, MmapData = 1ull << 17, SampleIdAll = 1ull << 18,
                     ExcludeHost = 1ull << 19, ExcludeGuest = 1ull << 20, ExcludeCallchainKernel = 1ull << 21,
                     ExcludeCallchainUser = 1ull << 22, Mmap2 = 1ull << 23, CommExec = 1ull << 24,
                     UseClockid = 1ull << 25, ContextSwitch = 1ull << 26, WriteBackward = 1ull << 27,
                     Namespaces = 1ull << 28, Ksymbol = 1ull << 29, BpfEvent = 1ull << 30, AuxOutput = 1ull << 31,
                     Cgroup = 1ull << 32, TextPoke = 1ull << 33, BuildId = 1ull << 34, InheritThread = 1ull << 35,
                     RemoveOnExec = 1ull << 36, Sigtrap = 1ull << 37, DeferCallchain = 1ull << 38,
                     DeferOutput = 1ull << 39;
}  // namespace attr_flag

struct EventAttr {
  u32 type = 0;
  u32 size = 128;  // the size the writer declared; encode() writes exactly this many bytes
  u64 config = 0;
  u64 sample_period = 0;  // or the frequency in Hz when attr_flag::Freq is set
  u64 sample_type = 0;
  u64 read_format = 0;
  u64 flags = 0;
  u32 wakeup_events = 0;  // or the watermark in bytes when attr_flag::Watermark is set
  u32 bp_type = 0;
  u64 config1 = 0;  // bp_addr, kprobe_func, uprobe_path
  u64 config2 = 0;  // bp_len, kprobe_addr, probe_offset
  u64 branch_sample_type = 0;
  u64 sample_regs_user = 0;
  u32 sample_stack_user = 0;
  i32 clockid = 0;
  u64 sample_regs_intr = 0;
  u32 aux_watermark = 0;
  u16 sample_max_stack = 0;
  u16 reserved_2 = 0;
  u32 aux_sample_size = 0;
  u32 aux_action = 0;
  u64 sig_data = 0;
  u64 config3 = 0;
  u64 config4 = 0;
  std::vector<std::byte> unknown_tail;  // bytes after the last field known here, verbatim

  bool has(u64 flag) const { return (flags & flag) != 0; }
  void set(u64 flag, bool on = true) { flags = on ? flags | flag : flags & ~flag; }
  bool samples(u64 bit) const { return (sample_type & bit) != 0; }
  unsigned precise_ip() const { return static_cast<unsigned>((flags & attr_flag::PreciseIpMask) >> 15); }
  void set_precise_ip(unsigned level) {
    flags = (flags & ~attr_flag::PreciseIpMask) | (static_cast<u64>(level & 3) << attr_flag::PreciseIpShift);
  }
  friend bool operator==(const EventAttr&, const EventAttr&) = default;
};

inline constexpr u32 kAttrSizeMin = 64;       // PERF_ATTR_SIZE_VER0
inline constexpr u32 kAttrSizeKnown = 144;    // up to config4
inline constexpr u32 kAttrSizeWritten = 128;  // what linux-perf 6.1 reads; larger only if a later field is non-zero

// Decodes attr.size bytes at the start of `bytes`. A size of 0 means 64 (files of linux 2.6.3x). Malformed: the size is
// below 64 or exceeds `bytes`.
Result<EventAttr> decode_attr(Bytes bytes, ByteOrder order);

// Appends attr.size bytes in `order`. Fields beyond that size are not written.
void encode_attr(const EventAttr& attr, ByteWriter& out, ByteOrder order = kHostOrder);

// The smallest known size ≥ 128 that holds every non-zero field.
u32 written_size(const EventAttr& attr);

}  // namespace peregrine::abi
