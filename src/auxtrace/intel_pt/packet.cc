#include "auxtrace/intel_pt/packet.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/types.h"

namespace peregrine::auxtrace {
namespace {

constexpr unsigned kPsbSize = 16;

u8 byte_at(Bytes bytes, std::size_t at) { return static_cast<u8>(bytes[at]); }

// Reads `size` bytes at `at`, least significant first.
u64 number(Bytes bytes, std::size_t at, unsigned size) {
  u64 value = 0;
  for (unsigned i = 0; i < size; ++i) value |= u64{byte_at(bytes, at + i)} << (8 * i);
  return value;
}

Packet incomplete(Bytes bytes) {
  return {PacketType::Incomplete, static_cast<u8>(std::min<std::size_t>(bytes.size(), 255)), 0, 0};
}
Packet bad() { return {PacketType::Bad, 1, 0, 0}; }

// The highest set bit marks the end of the results; the oldest result is right below it.
Packet taken_or_not(u64 bits, u8 size) {
  if (bits <= 1) return bad();
  const int count = std::bit_width(bits) - 1;
  return {PacketType::Tnt, size, static_cast<u16>(count), bits & ((u64{1} << count) - 1)};
}

Packet address(PacketType type, Bytes bytes) {
  // By address form; 0xff is reserved.
  constexpr std::array<u8, 8> kSizes = {0, 2, 4, 6, 6, 0xff, 8, 0xff};
  const unsigned form = byte_at(bytes, 0) >> 5;
  const unsigned size = kSizes[form];
  if (size == 0xff) return bad();
  if (bytes.size() < 1 + size) return incomplete(bytes);
  return {type, static_cast<u8>(1 + size), static_cast<u16>(form), number(bytes, 1, size)};
}

Packet mode(Bytes bytes) {
  if (bytes.size() < 2) return incomplete(bytes);
  const unsigned leaf = byte_at(bytes, 1) >> 5, bits = byte_at(bytes, 1) & 3;
  if (leaf == 1) return {PacketType::ModeTsx, 2, 0, bits};
  if (leaf != 0 || bits == 3) return bad();
  constexpr std::array<u8, 3> kWidths = {16, 64, 32};  // CS.L is bit 0, CS.D bit 1
  return {PacketType::ModeExec, 2, 0, kWidths[bits]};
}

Packet cycles(Bytes bytes) {
  const u8 first = byte_at(bytes, 0);
  u64 value = first >> 3;
  unsigned shift = 5, size = 1;
  for (bool more = (first & 4) != 0; more; ++size, shift += 7) {
    if (size >= bytes.size()) return incomplete(bytes);
    if (shift > 63) return bad();
    const u8 next = byte_at(bytes, size);
    value |= u64{static_cast<u8>(next >> 1)} << shift;
    more = (next & 1) != 0;
  }
  return {PacketType::Cyc, static_cast<u8>(size), 0, value};
}

// A packet of fixed size: `skip` bytes, then the payload up to the end.
struct Fixed {
  u8 second;
  PacketType type;
  u8 size;
  u8 skip;
  u8 count;
};
constexpr std::array kFixed = {
    Fixed{0x03, PacketType::Cbr, 4, 2, 0},        Fixed{0x13, PacketType::ControlFlow, 4, 2, 0},
    Fixed{0x22, PacketType::PowerEntry, 4, 2, 0}, Fixed{0x23, PacketType::PsbEnd, 2, 2, 0},
    Fixed{0x33, PacketType::BlockEnd, 2, 2, 0},   Fixed{0x43, PacketType::Pip, 8, 2, 0},
    Fixed{0x53, PacketType::EventData, 11, 3, 0}, Fixed{0x62, PacketType::ExStop, 2, 2, 0},
    Fixed{0x63, PacketType::BlockBegin, 3, 2, 0}, Fixed{0x73, PacketType::Tma, 7, 2, 0},
    Fixed{0x83, PacketType::TraceStop, 2, 2, 0},  Fixed{0xa2, PacketType::PowerExit, 7, 2, 0},
    Fixed{0xa3, PacketType::Tnt, 8, 2, 0},        Fixed{0xb3, PacketType::BlockEnd, 2, 2, 1},
    Fixed{0xc2, PacketType::Mwait, 10, 2, 0},     Fixed{0xc3, PacketType::Maintenance, 11, 3, 0},
    Fixed{0xc8, PacketType::Vmcs, 7, 2, 0},       Fixed{0xe2, PacketType::ExStop, 2, 2, 1},
    Fixed{0xf3, PacketType::Overflow, 2, 2, 0},
};

// Splits payloads that consist of several fields.
Packet read_fields(Packet packet, Bytes bytes) {
  switch (packet.type) {
    case PacketType::Cbr:
      packet.payload &= 0xff;
      break;
    case PacketType::Tnt:
      return taken_or_not(packet.payload, packet.size);
    case PacketType::Pip:
      packet.count = packet.payload & 1;
      // The packet has bits 5 and up of CR3; bit 0 says whether a guest runs.
      packet.payload = (packet.payload >> 1) << 5;
      break;
    case PacketType::Tma:
      packet.count = static_cast<u16>(number(bytes, 5, 2) & 0x1ff);
      packet.payload &= 0xffff;
      break;
    case PacketType::Vmcs:
      packet.payload <<= 12;
      break;
    case PacketType::BlockBegin:
      packet.count = (packet.payload & 0x80) != 0 ? 4 : 8;
      packet.payload &= 0x1f;
      break;
    case PacketType::EventData:
      packet.count = byte_at(bytes, 2) & 0x3f;
      break;
    default:
      break;
  }
  return packet;
}

Packet read_fixed(const Fixed& fixed, Bytes bytes) {
  if (bytes.size() < fixed.size) return incomplete(bytes);
  // MNT is the only packet with three bytes of opcode.
  if (fixed.type == PacketType::Maintenance && byte_at(bytes, 2) != 0x88) return bad();
  const unsigned payload = std::min(8, fixed.size - fixed.skip);
  return read_fields({fixed.type, fixed.size, fixed.count, number(bytes, fixed.skip, payload)}, bytes);
}

// Decodes packets with the two-byte opcode 02 xx.
Packet extended(Bytes bytes) {
  if (bytes.size() < 2) return incomplete(bytes);
  const u8 second = byte_at(bytes, 1);
  if (second == 0x82) {
    const std::size_t there = std::min<std::size_t>(bytes.size(), kPsbSize);
    for (std::size_t i = 0; i < there; ++i)
      if (byte_at(bytes, i) != (i % 2 == 0 ? 0x02 : 0x82)) return bad();
    return there < kPsbSize ? incomplete(bytes) : Packet{PacketType::Psb, kPsbSize, 0, 0};
  }
  if ((second & 0x1f) == 0x12) {  // PTWRITE: bits 5 and 6 give the size, bit 7 says that a FUP follows
    const unsigned form = second >> 5 & 3, size = form == 0 ? 4 : 8;
    if (form > 1) return bad();
    if (bytes.size() < 2 + size) return incomplete(bytes);
    return {PacketType::Ptwrite, static_cast<u8>(2 + size), static_cast<u16>(second >> 7), number(bytes, 2, size)};
  }
  const auto* const found = std::ranges::find(kFixed, second, &Fixed::second);
  return found == kFixed.end() ? bad() : read_fixed(*found, bytes);
}

Packet block_item(Bytes bytes, unsigned item_bytes) {
  if (bytes.size() < 1 + item_bytes) return incomplete(bytes);
  return {PacketType::BlockItem, static_cast<u8>(1 + item_bytes), static_cast<u16>(byte_at(bytes, 0) >> 3),
          number(bytes, 1, item_bytes)};
}

}  // namespace

// The first byte selects the packet; the left column is tested first, from the top:
//
//   xxxxx100  BIP, inside a block    xxx01101  TIP        10011001  MODE
//   00000000  PAD                    xxx10001  TIP.PGE    00011001  TSC
//   00000010  two-byte opcode        xxx00001  TIP.PGD    01011001  MTC
//   xxxxxxx0  TNT of up to 6 bits    xxx11101  FUP
//   xxxxxx11  CYC                    xxx: how the payload extends the last address
Packet read_packet(Bytes bytes, unsigned item_bytes) {
  if (bytes.empty()) return incomplete(bytes);
  const u8 first = byte_at(bytes, 0);
  if (item_bytes != 0 && (first & 7) == 4) return block_item(bytes, item_bytes);
  if (first == 0) return {PacketType::Pad, 1, 0, 0};
  if (first == 0x02) return extended(bytes);
  if ((first & 1) == 0) return taken_or_not(first >> 1, 1);
  if ((first & 3) == 3) return cycles(bytes);
  switch (first & 0x1f) {
    case 0x01:
      return address(PacketType::TipPgd, bytes);
    case 0x0d:
      return address(PacketType::Tip, bytes);
    case 0x11:
      return address(PacketType::TipPge, bytes);
    case 0x1d:
      return address(PacketType::Fup, bytes);
    default:
      break;
  }
  if (first == 0x99) return mode(bytes);
  if (first == 0x19) return bytes.size() < 8 ? incomplete(bytes) : Packet{PacketType::Tsc, 8, 0, number(bytes, 1, 7)};
  if (first == 0x59) return bytes.size() < 2 ? incomplete(bytes) : Packet{PacketType::Mtc, 2, 0, number(bytes, 1, 1)};
  return bad();
}

std::size_t find_psb(Bytes bytes) {
  constexpr std::array<u8, kPsbSize> kPsb = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
                                             0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};
  if (bytes.empty()) return 0;
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  const void* const found = ::memmem(begin, bytes.size(), kPsb.data(), kPsb.size());
  return found == nullptr ? bytes.size() : static_cast<std::size_t>(static_cast<const char*>(found) - begin);
}

u64 complete_address(const Packet& packet, u64 last) {
  switch (static_cast<AddressForm>(packet.count)) {
    case AddressForm::Low16:
      return (last & ~u64{0xffff}) | packet.payload;
    case AddressForm::Low32:
      return (last & ~u64{0xffffffff}) | packet.payload;
    case AddressForm::Low48:
      return (last & ~u64{0xffffffffffff}) | packet.payload;
    case AddressForm::Signed48:
      return static_cast<u64>(static_cast<i64>(packet.payload << 16) >> 16);
    case AddressForm::Full:
      return packet.payload;
    case AddressForm::None:
      break;
  }
  return last;
}

}  // namespace peregrine::auxtrace
