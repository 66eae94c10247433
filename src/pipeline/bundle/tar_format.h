// The header block of a tar archive as POSIX defines it: offsets and sizes of its fields, and its checksum.
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::tar {

inline constexpr std::size_t kBlock = 512;
inline constexpr std::size_t kNameSize = 100;
inline constexpr std::size_t kModeAt = 100, kModeSize = 8;
inline constexpr std::size_t kSizeAt = 124, kSizeSize = 12;
inline constexpr std::size_t kTimeAt = 136, kTimeSize = 12;
inline constexpr std::size_t kSumAt = 148, kSumSize = 8;
inline constexpr std::size_t kTypeAt = 156;
inline constexpr std::size_t kLinkAt = 157, kLinkSize = 100;
inline constexpr std::size_t kMagicAt = 257;
inline constexpr std::size_t kPrefixAt = 345, kPrefixSize = 155;

// The sum of all bytes; the checksum field itself counts as blanks.
inline u64 checksum(Bytes block) {
  u64 sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    sum += i >= kSumAt && i < kSumAt + kSumSize ? u64{' '} : static_cast<u64>(block[i]);
  return sum;
}

}  // namespace peregrine::tar
