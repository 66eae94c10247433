// The first bytes of every perf.data file and pipe.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "data/header/file_header.h"

namespace peregrine::data {

inline constexpr std::size_t kMagicSize = 8;

// Whether `beginning` starts a recording in either byte order. 8 bytes suffice.
inline bool begins_recording(Bytes beginning) {
  if (beginning.size() < kMagicSize) return false;
  const std::string_view magic(reinterpret_cast<const char*>(beginning.data()), kMagicSize);
  return magic == kMagic2 || magic == kMagic2Swapped || magic == kMagic1 || magic == kMagic1Swapped;
}

}  // namespace peregrine::data
