#include "abi/blktrace_record.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace peregrine::abi {

namespace {

constexpr u32 kCgroup = 1u << 8;  // of the action: the pdu begins with the cgroup's id

std::array<std::byte, 8> big_endian(u64 value) {
  std::array<std::byte, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (56 - 8 * i));
  return bytes;
}

}  // namespace

u64 BlktraceRecord::number() const { return pdu.size() < 8 ? 0 : load<u64>(pdu.data(), ByteOrder::Big); }

std::optional<BlockRemap> block_remap(const BlktraceRecord& record) {
  ByteReader bytes(record.pdu, ByteOrder::Big);
  BlockRemap remap;
  remap.from = bytes.get32();
  remap.to = bytes.get32();
  remap.from_sector = bytes.get64();
  if (!bytes.ok()) return std::nullopt;
  return remap;
}

std::array<std::byte, 8> encode_block_number(u64 number) { return big_endian(number); }

std::array<std::byte, 16> encode_block_remap(const BlockRemap& remap) {
  std::array<std::byte, 16> bytes;
  const auto devices = big_endian(u64{remap.from} << 32 | remap.to), sector = big_endian(remap.from_sector);
  std::ranges::copy(sector, std::ranges::copy(devices, bytes.begin()).out);
  return bytes;
}

std::string block_kind_text(const BlktraceRecord& record) {
  namespace trait = block_trait;
  std::string text;
  if (record.has(trait::Flush)) text += 'F';
  if (record.has(trait::Discard))
    text += 'D';
  else if (record.has(trait::Write))
    text += 'W';
  else
    text += record.bytes != 0 ? 'R' : 'N';
  if (record.has(trait::ForceUnit)) text += 'F';
  if (record.has(trait::Ahead)) text += 'A';
  if (record.has(trait::Sync)) text += 'S';
  if (record.has(trait::Meta)) text += 'M';
  return text;
}

u16 parse_block_kind(std::string_view rwbs) {
  namespace trait = block_trait;
  u16 traits = 0;
  // A first 'F' is a flush before the operation that follows; a flush alone is "F" or "FF".
  if (rwbs.starts_with('F')) {
    traits |= trait::Flush;
    rwbs.remove_prefix(1);
  }
  const char operation = rwbs.empty() ? 'F' : rwbs.front();
  if (!rwbs.empty()) rwbs.remove_prefix(1);
  if (operation == 'W' || operation == 'D') traits |= trait::Write;
  if (operation == 'D') traits |= trait::Discard;
  if ((traits & trait::Write) == 0) traits |= trait::Read;
  for (const char flag : rwbs) {
    if (flag == 'F') traits |= trait::ForceUnit;
    if (flag == 'A') traits |= trait::Ahead;
    if (flag == 'S') traits |= trait::Sync;
    if (flag == 'M') traits |= trait::Meta;
  }
  return traits;
}

u16 traits_of(BlockAction action) {
  switch (action) {
    case BlockAction::Requeue:
      return block_trait::Requeue;
    case BlockAction::Issue:
      return block_trait::Issue;
    case BlockAction::Complete:
      return block_trait::Complete;
    case BlockAction::DriverData:
      return block_trait::DriverData;
    case BlockAction::Split:
    case BlockAction::Bounce:
      return 0;
    default:
      return block_trait::Queue;
  }
}

std::optional<u32> blktrace_version(Bytes beginning) {
  if (beginning.size() < 4) return std::nullopt;
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    const u32 magic = load<u32>(beginning.data(), order);
    if ((magic & 0xffffff00u) == kBlktraceMagic) return magic & 0xff;
  }
  return std::nullopt;
}

std::optional<ByteOrder> blktrace_order(Bytes beginning) {
  if (beginning.size() < 4) return std::nullopt;
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big})
    if (load<u32>(beginning.data(), order) == (kBlktraceMagic | kBlktraceVersion)) return order;
  return std::nullopt;
}

std::optional<std::size_t> blktrace_record_size(Bytes bytes, ByteOrder order) {
  if (bytes.size() < kBlktraceHeader) return std::nullopt;
  if (load<u32>(bytes.data(), order) != (kBlktraceMagic | kBlktraceVersion)) return std::nullopt;
  return kBlktraceHeader + load<u16>(bytes.data() + kBlktraceHeader - 2, order);
}

BlktraceRecord decode_blktrace_record(Bytes bytes, ByteOrder order) {
  ByteReader reader(bytes, order);
  BlktraceRecord record;
  reader.skip(4);
  record.sequence = reader.get32();
  record.time = reader.get64();
  record.sector = reader.get64();
  record.bytes = reader.get32();
  const u32 action = reader.get32();
  record.action = static_cast<u8>(action);
  record.cgroup = (action & kCgroup) != 0;
  record.traits = static_cast<u16>(action >> 16);
  record.pid = reader.get32();
  record.device = reader.get32();
  record.cpu = reader.get32();
  record.error = reader.get16();
  record.pdu = reader.take(reader.get16());
  if (record.cgroup) record.pdu = record.pdu.subspan(std::min<std::size_t>(8, record.pdu.size()));
  return record;
}

void encode_blktrace_record(const BlktraceRecord& record, ByteWriter& out) {
  out.put32(kBlktraceMagic | kBlktraceVersion).put32(record.sequence).put64(record.time).put64(record.sector);
  out.put32(record.bytes).put32(u32{record.traits} << 16 | record.action).put32(record.pid).put32(record.device);
  out.put32(record.cpu).put16(record.error).put16(static_cast<u16>(record.pdu.size())).append(record.pdu);
}

}  // namespace peregrine::abi
