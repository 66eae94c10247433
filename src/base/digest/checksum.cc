#include "base/digest/checksum.h"

#include <cstddef>

#include "base/bytes.h"

namespace peregrine {

// Processes four lanes of eight bytes per step.
u64 checksum(std::string_view bytes) {
  constexpr u64 kFactor = 0xff51afd7ed558ccd;
  u64 lanes[4] = {1, 2, 3, bytes.size()};
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] ^= load<u64>(reinterpret_cast<const std::byte*>(bytes.data()) + at + i * 8, ByteOrder::Little);
      lanes[i] *= kFactor;
      lanes[i] ^= lanes[i] >> 29;
    }
  }
  u64 value = 0;
  for (const u64 lane : lanes) value = (value ^ lane) * kFactor;
  for (; at < bytes.size(); ++at) value = (value ^ static_cast<u8>(bytes[at])) * kFactor;
  return value ^ value >> 32;
}

}  // namespace peregrine
