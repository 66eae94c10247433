// PackedText: text as a page carries it: deflated, then in base64, so that no byte of it can end a script or an
// attribute.
//
// Texts can be packed apart, on threads of their owners, and put together in any order afterwards. Long ones are
// deflated in pieces, on all processors.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text);

  void append(const PackedText& other);
  // In zlib's format, which DecompressionStream("deflate") of browsers reads.
  std::string base64() const;

 private:
  std::string blocks_;  // deflated, each of them whole, none the last one
  u32 checksum_ = 1;    // Adler-32
  u64 size_ = 0;        // of the text
};

std::string base64(std::string_view bytes);

}  // namespace peregrine
