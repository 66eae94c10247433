#include "support/intel_pt_packets.h"

namespace peregrine::support {

void IntelPtPackets::psb() {
  for (int i = 0; i < 8; ++i) bytes({0x02, 0x82});
  last_ip_ = 0;
}

// Bits 5 to 7 of the first byte say how much of the address follows, and where the rest comes from.
void IntelPtPackets::ip(IpPacket packet, std::uint64_t address) {
  const std::uint64_t changed = address ^ last_ip_;
  const bool sign_extends =
      static_cast<std::int64_t>(address << 16) >> 16 == static_cast<std::int64_t>(address);  // from bit 47
  unsigned code = 6, width = 8;
  if (changed >> 16 == 0) {
    code = 1, width = 2;
  } else if (changed >> 32 == 0) {
    code = 2, width = 4;
  } else if (sign_extends) {
    code = 3, width = 6;
  } else if (changed >> 48 == 0) {
    code = 4, width = 6;
  }
  out_.put(code << 5 | static_cast<unsigned>(packet), 1).put(address, width);
  last_ip_ = address;
}

void IntelPtPackets::tnt(std::uint64_t taken, unsigned count) {
  const std::uint64_t stopped = 1ull << count | (taken & ((1ull << count) - 1));
  if (count <= kShortTnt) {
    out_.put(stopped << 1, 1);
  } else {
    bytes({0x02, 0xa3}).put(stopped, 6);
  }
}

// Five bits in the first byte, seven in each following one; one bit of each says whether another follows.
void IntelPtPackets::cyc(std::uint64_t cycles) {
  out_.put(3u | (cycles >> 5 ? 4u : 0u) | (cycles & 31) << 3, 1);
  for (std::uint64_t rest = cycles >> 5; rest != 0; rest >>= 7) out_.put((rest >> 7 ? 1u : 0u) | (rest & 127) << 1, 1);
}

}  // namespace peregrine::support
