// BlktraceRecord: a record of blktrace's binary streams (struct blk_io_trace, version 7) as a value, and back.
//
//   magic and version 4 | sequence 4 | time 8 | sector 8 | bytes 4 | action 4 | pid 4 | device 4 | cpu 4
//   | error 2 | pdu size 2 | pdu
//
// The action has a number in its low half and traits in its high half. Numbers inside of a pdu are big-endian in
// streams of either byte order. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::abi {

enum class BlockAction : u8 {
  Queue = 1,
  BackMerge,
  FrontMerge,
  GetRequest,
  Sleep,
  Requeue,
  Issue,
  Complete,
  Plug,
  Unplug,
  TimedUnplug,
  Insert,
  Split,
  Bounce,
  Remap,
  Abort,
  DriverData,
};
// Of records with the trait Notice, which describe no request.
enum class BlockNotice : u8 { Process, Timestamp, Message };

namespace block_trait {
inline constexpr u16 Read = 1u << 0, Write = 1u << 1, Flush = 1u << 2, Sync = 1u << 3, Queue = 1u << 4,
                     Requeue = 1u << 5, Issue = 1u << 6, Complete = 1u << 7, FileSystem = 1u << 8,
                     Passthrough = 1u << 9, Notice = 1u << 10, Ahead = 1u << 11, Meta = 1u << 12, Discard = 1u << 13,
                     DriverData = 1u << 14, ForceUnit = 1u << 15;
}  // namespace block_trait

struct BlktraceRecord {
  u64 time = 0, sector = 0;
  u32 sequence = 0;  // counts the records of a CPU
  u32 bytes = 0;     // of the request
  u8 action = 0;     // a BlockAction, or a BlockNotice; any number in a damaged stream
  bool cgroup = false;
  u16 traits = 0;
  u32 pid = 0;     // the thread
  u32 device = 0;  // major << 20 | minor
  u32 cpu = 0;
  u16 error = 0;
  Bytes pdu = {};  // borrowed; without the cgroup

  bool is(BlockAction wanted) const { return !has(block_trait::Notice) && action == static_cast<u8>(wanted); }
  bool is(BlockNotice wanted) const { return has(block_trait::Notice) && action == static_cast<u8>(wanted); }
  bool has(u16 trait) const { return (traits & trait) != 0; }
  u32 sectors() const { return bytes >> 9; }
  u64 end() const { return sector + sectors(); }
  // The number in the pdu of Unplug, TimedUnplug and Split; 0 if it is too short.
  u64 number() const;
};

inline constexpr u32 block_major(u32 device) { return device >> 20; }
inline constexpr u32 block_minor(u32 device) { return device & 0xfffff; }

// What Remap's pdu contains.
struct BlockRemap {
  u32 from = 0, to = 0;
  u64 from_sector = 0;
};
std::optional<BlockRemap> block_remap(const BlktraceRecord& record);
std::array<std::byte, 16> encode_block_remap(const BlockRemap& remap);
std::array<std::byte, 8> encode_block_number(u64 number);

// "W", "RA", "FWFS": the kind of a request. Parsing takes the text of the kernel's tracepoints (`rwbs`).
std::string block_kind_text(const BlktraceRecord& record);
u16 parse_block_kind(std::string_view rwbs);

// Traits that an action always has.
u16 traits_of(BlockAction action);

inline constexpr std::size_t kBlktraceHeader = 48;
inline constexpr u32 kBlktraceMagic = 0x65617400, kBlktraceVersion = 7;
// The byte order of a stream by its first bytes; nothing if they are not of a blktrace stream of a known version.
std::optional<ByteOrder> blktrace_order(Bytes beginning);
// The version that the bytes claim; nothing if they are not of a blktrace stream.
std::optional<u32> blktrace_version(Bytes beginning);

// The size of the record at the start of `bytes`, by its header; nothing if the header is incomplete or has another
// magic number.
std::optional<std::size_t> blktrace_record_size(Bytes bytes, ByteOrder order);
// `bytes` holds a whole record.
BlktraceRecord decode_blktrace_record(Bytes bytes, ByteOrder order);
void encode_blktrace_record(const BlktraceRecord& record, ByteWriter& out);

}  // namespace peregrine::abi
