// PackedText: text embedded in a page: deflated, then base64, so that none of it can end a script or attribute.
//
// Texts can be packed separately on several threads and concatenated in any order. Long ones are deflated in pieces, on
// all CPUs.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text);

  void append(const PackedText& other);
  // In zlib's format, for browsers' DecompressionStream("deflate").
  std::string base64() const;
  std::size_t base64_size() const;

 private:
  std::string blocks_;  // byte-aligned deflate blocks, without the final one
  u32 checksum_ = 1;    // Adler-32
  u64 size_ = 0;        // of the text
};

std::string base64(std::string_view bytes);

}  // namespace peregrine
