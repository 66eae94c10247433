// SpePacket: one packet of an Arm SPE trace: a header byte (two for large indices), and 0 to 8 bytes of payload.
//
// The bytes come from the AUX area of an arm_spe event and are untrusted. Format: Arm Architecture Reference Manual for
// A-profile, "Statistical Profiling Extension Sample Record Specification". Numbers are little-endian. Pure.
//
//   00 padding   01 end   71 timestamp      4x 5x 6x 7x: payload of 1, 2, 4, 8 bytes, x: 2 events, 3 data source
//   64…67 context of EL1…  48…4b operation   b0…b7 address   98…9f counter   20…23 NN: NN with more indices
//   20 00…20 0f padding up to an alignment
#pragma once
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

enum class SpePacketKind : u8 {
  Bad,  // invalid header, or the payload is cut
  Padding,
  End,
  Timestamp,
  Events,
  DataSource,
  Context,
  Operation,
  Address,
  Counter,
};

// SpePacket::index of addresses.
namespace spe_address {
inline constexpr u8 Pc = 0, BranchTarget = 1, DataVirtual = 2, DataPhysical = 3, PreviousBranchTarget = 4;
}
// SpePacket::index of counters; all count cycles.
namespace spe_counter {
inline constexpr u8 TotalLatency = 0, IssueLatency = 1, TranslationLatency = 2;
}
// SpePacket::index of operations.
namespace spe_class {
inline constexpr u8 Other = 0, LoadStore = 1, Branch = 2;
}
// Bits of an events packet.
namespace spe_event {
inline constexpr u64 Exception = 1u << 0, Retired = 1u << 1, L1Access = 1u << 2, L1Refill = 1u << 3,
                     TlbAccess = 1u << 4, TlbWalk = 1u << 5, NotTaken = 1u << 6, Mispredicted = 1u << 7,
                     LastLevelAccess = 1u << 8, LastLevelMiss = 1u << 9, Remote = 1u << 10, Misaligned = 1u << 11,
                     PartialPredicate = 1u << 17, EmptyPredicate = 1u << 18;
}  // namespace spe_event

struct SpePacket {
  SpePacketKind kind = SpePacketKind::Bad;
  u8 index = 0;     // which context (0: EL1), address, counter, or class of operation
  u32 size = 1;     // including the header; at least 1, never more than available
  u64 payload = 0;  // raw: exception level and tags of addresses are included
};

// Reads the packet at the start of `bytes`, which must not be empty. A bad byte is a separate packet, so that reading
// continues after it. A truncated packet is bad as a whole.
SpePacket decode_spe_packet(Bytes bytes);

// The address without exception level and tag; restores the upper bits of kernel addresses.
u64 spe_address_of(const SpePacket& packet);

}  // namespace peregrine
