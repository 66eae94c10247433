// Decodes packets of Intel Processor Trace.
//
// Format: Intel SDM volume 3, "Intel Processor Trace", section "Trace Packets and Data Types". Inside a block (BBP to
// BEP) the same first byte means something else; the caller tracks that.
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {

enum class PacketType : u8 {
  Bad,         // invalid first byte
  Incomplete,  // cut by the end of the bytes
  Pad,
  Tnt,     // payload: taken flags of `count` conditional branches, oldest in the highest bit
  Tip,     // for TIP, TIP.PGE, TIP.PGD and FUP, `count` says how the payload extends the last address (AddressForm)
  TipPge,  // tracing begins
  TipPgd,  // tracing ends
  Fup,
  Pip,        // payload: CR3; count 1: of a guest
  Vmcs,       // payload: the base address
  Tsc,        // payload: the low 56 bits
  Tma,        // payload: CTC; count: the fast counter
  Mtc,        // payload: 8 bits of CTC
  Cyc,        // payload: core cycles since the last one
  Cbr,        // payload: core clock over bus clock
  ModeExec,   // payload: 16, 32 or 64
  ModeTsx,    // payload: bit 0 in a transaction, bit 1 it was aborted
  TraceStop,  //
  Overflow,   // packets were lost
  Psb,        // synchronization point
  PsbEnd,
  Maintenance,  // payload: implementation defined
  Ptwrite,      // payload: the operand; count 1: a FUP with its address follows
  ExStop,       // execution stopped; count 1: a FUP with the address follows
  Mwait,        // payload: hints in the low half, extensions in the high one
  PowerEntry,   // payload: two bytes
  PowerExit,    // payload: five bytes
  BlockBegin,   // count: bytes of an item's value; payload: which kind of block
  BlockItem,    // payload: the value; count: which item
  BlockEnd,     // count 1: a FUP follows
  ControlFlow,  // payload: two bytes; a FUP may follow
  EventData,    // payload: eight bytes; count: which
};

enum class AddressForm : u8 { None = 0, Low16 = 1, Low32 = 2, Signed48 = 3, Low48 = 4, Full = 6 };

struct Packet {
  PacketType type = PacketType::Bad;
  u8 size = 0;    // bytes; of Bad 1, of Incomplete all that are left
  u16 count = 0;  // see PacketType
  u64 payload = 0;
};

// `item_bytes`: inside a block, the value from its BlockBegin; else 0.
Packet read_packet(Bytes bytes, unsigned item_bytes);

// Offset of the next PSB; bytes.size() if none.
std::size_t find_psb(Bytes bytes);

// The packet's address, completed from the last one.
u64 complete_address(const Packet& packet, u64 last);

}  // namespace peregrine::auxtrace
