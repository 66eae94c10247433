#include "auxtrace/arm_spe/packet.h"

#include <cstddef>

#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kAddressBits = (u64{1} << 56) - 1;  // the bits above are a tag, or exception level and security state
constexpr u64 kTopByte = ~kAddressBits;

u64 load_little(Bytes bytes) {
  u64 value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<u64>(bytes[i]);
  return value;
}

struct Shape {
  SpePacketKind kind = SpePacketKind::Bad;
  u8 index = 0;
  u32 payload = 0;
};

Shape shape_of(u8 header) {
  const u32 sized = 1u << (header >> 4 & 3);
  const auto index = [header](u8 mask) { return static_cast<u8>(header & mask); };
  if (header == 0x00) return {SpePacketKind::Padding};
  if (header == 0x01) return {SpePacketKind::End};
  if (header == 0x71) return {SpePacketKind::Timestamp, 0, 8};
  if ((header & 0xcf) == 0x42) return {SpePacketKind::Events, 0, sized};
  if ((header & 0xcf) == 0x43) return {SpePacketKind::DataSource, 0, sized};
  if ((header & 0xfc) == 0x64) return {SpePacketKind::Context, index(3), 4};
  if ((header & 0xfc) == 0x48) return {SpePacketKind::Operation, index(3), 1};
  if ((header & 0xf8) == 0xb0) return {SpePacketKind::Address, index(7), 8};
  if ((header & 0xf8) == 0x98) return {SpePacketKind::Counter, index(7), 2};
  return {};
}

}  // namespace

SpePacket decode_spe_packet(Bytes bytes) {
  const auto byte = [bytes](std::size_t at) { return static_cast<u8>(bytes[at]); };
  const bool extended = (byte(0) & 0xfc) == 0x20;
  if (extended && bytes.size() < 2) return {};
  // 20 0a pads to a multiple of 2^(a+1) bytes with zeroes, which decode as further padding packets.
  if (byte(0) == 0x20 && byte(1) < 0x10) return {.kind = SpePacketKind::Padding, .size = 2};
  Shape shape = shape_of(byte(extended ? 1 : 0));
  if (extended) {
    if (shape.kind != SpePacketKind::Address && shape.kind != SpePacketKind::Counter) return {};
    shape.index = static_cast<u8>(shape.index | (byte(0) & 3) << 3);
  }
  if (shape.kind == SpePacketKind::Bad) return {};
  const u32 header = extended ? 2 : 1;
  if (bytes.size() < header + shape.payload) return {.size = static_cast<u32>(bytes.size())};
  return {.kind = shape.kind,
          .index = shape.index,
          .size = header + shape.payload,
          .payload = load_little(bytes.subspan(header, shape.payload))};
}

u64 spe_address_of(const SpePacket& packet) {
  const u64 address = packet.payload & kAddressBits;
  switch (packet.index) {
    case spe_address::Pc:
    case spe_address::BranchTarget:
    case spe_address::PreviousBranchTarget: {
      // Bit 63 is the non-secure state, bits 62 and 61 are the exception level. EL1 and EL2 run the kernel, in the
      // upper half.
      const u64 level = packet.payload >> 61 & 3;
      const bool non_secure = packet.payload >> 63 != 0;
      return non_secure && (level == 1 || level == 2) ? address | kTopByte : address;
    }
    case spe_address::DataVirtual:
      // The top byte may be a tag. In kernel addresses, bits 52 to 55 are all set.
      return (address >> 52 & 15) == 15 ? address | kTopByte : address;
    default:
      return address;
  }
}

}  // namespace peregrine
