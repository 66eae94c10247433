// The bytes that every perf.data file and pipe begins with.
#pragma once
#include <algorithm>
#include <string_view>

#include "base/bytes.h"
#include "data/header/file_header.h"

namespace peregrine::data {

inline constexpr std::size_t kMagicSize = 8;

// Whether `beginning`, of which 8 bytes are enough, is that of a recording in either byte order.
inline bool begins_recording(Bytes beginning) {
  if (beginning.size() < kMagicSize) return false;
  const std::string_view magic(reinterpret_cast<const char*>(beginning.data()), kMagicSize);
  return magic == kMagic2 || magic == kMagic2Swapped || magic == kMagic1 || magic == kMagic1Swapped;
}

}  // namespace peregrine::data
