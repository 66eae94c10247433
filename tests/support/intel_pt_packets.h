// IntelPtPackets: the bytes of an Intel Processor Trace, packet by packet.
//
// A writer for tests: it knows how each packet is encoded, and the only state that encoding depends on, the last
// address written. The caller decides what to write and when. Formats: Intel SDM volume 3, chapter "Intel Processor
// Trace", section "Trace packets and data types".
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "support/byte_buffer.h"

namespace peregrine::support {

// The four packets that contain an address, by the low five bits of their first byte.
enum class IpPacket : std::uint8_t { Tip = 0x0d, Enable = 0x11, Disable = 0x01, Flow = 0x1d };

class IntelPtPackets {
 public:
  static constexpr unsigned kShortTnt = 6, kLongTnt = 47;  // branches that one packet can hold

  // Starts a period where decoders may begin: later addresses do not depend on earlier ones.
  void psb();
  void psb_end() { bytes({0x02, 0x23}); }
  void pad_to(std::size_t unit) { out_.align(unit); }
  // Writes as few bytes of the address as the last one allows.
  void ip(IpPacket packet, std::uint64_t address);
  // Writes the complete address, as after a gap.
  void whole_ip(IpPacket packet, std::uint64_t address) {
    out_.put(static_cast<std::uint8_t>(packet) | 6u << 5, 1).put(address, 8);
    last_ip_ = address;
  }
  // An address that is suppressed because it is outside the traced range.
  void no_ip(IpPacket packet) { out_.put(static_cast<std::uint8_t>(packet), 1); }
  // `count` (1 to 47) conditional branches, the oldest in the highest bit; more than 6 make a long packet.
  void tnt(std::uint64_t taken, unsigned count);
  void tsc(std::uint64_t ticks) { out_.put(0x19, 1).put(ticks, 7); }
  // `crystal`: ticks of the crystal clock (16 bits are kept), `fast`: TSC ticks since then (9 bits).
  void tma(std::uint64_t crystal, std::uint64_t fast) { bytes({0x02, 0x73}).put16(crystal).zeros(1).put16(fast & 511); }
  void mtc(std::uint64_t crystal_byte) { out_.put(0x59, 1).put(crystal_byte, 1); }
  void cyc(std::uint64_t cycles);
  // Ratio of the core clock to the bus clock.
  void cbr(unsigned ratio) { bytes({0x02, 0x03}).put(ratio, 1).zeros(1); }
  void mode_exec_64() { bytes({0x99, 0x01}); }
  void mode_tsx_none() { bytes({0x99, 0x20}); }
  // The operand of a PTWRITE instruction, 8 bytes; `ip_follows`: a Flow packet gives its address.
  void ptwrite(std::uint64_t operand, bool ip_follows) {
    bytes({0x02, static_cast<std::uint8_t>(0x12 | 1u << 5 | (ip_follows ? 0x80u : 0u))}).put64(operand);
  }
  // The core enters the idle state C`state`, stops, and leaves it for an interrupt.
  void power_entry(unsigned state) { bytes({0x02, 0x22, 0x00}).put((state & 15) << 4, 1); }
  void execution_stop() { bytes({0x02, 0x62}); }
  void power_exit(unsigned state) { bytes({0x02, 0xa2}).put((state & 15) << 4 | (state & 15), 1).put(1, 1).zeros(3); }
  // A PEBS record in the trace: groups of items with values, then the end marker.
  void block(unsigned group) { bytes({0x02, 0x63, static_cast<std::uint8_t>(group)}); }
  void item(unsigned number, std::uint64_t value) { out_.put(number << 3 | 4, 1).put64(value); }
  void block_end() { bytes({0x02, 0x33}); }
  void overflow() { bytes({0x02, 0xf3}); }
  // The page tables in use from now on; whether they belong to a guest.
  void pip(std::uint64_t cr3, bool guest) { bytes({0x02, 0x43}).put((cr3 >> 5) << 1 | (guest ? 1u : 0u), 6); }
  // The current guest: the address of its VMCS.
  void vmcs(std::uint64_t address) { bytes({0x02, 0xc8}).put(address >> 12, 5); }

  std::size_t size() const { return out_.size(); }
  const std::vector<std::byte>& bytes() const { return out_.bytes(); }

 private:
  ByteBuffer& bytes(std::initializer_list<std::uint8_t> list) {
    for (const std::uint8_t byte : list) out_.put(byte, 1);
    return out_;
  }

  ByteBuffer out_;
  std::uint64_t last_ip_ = 0;
};

}  // namespace peregrine::support
