// Text as a page carries it: deflated, then in base64, so that no byte of it can end a script or an attribute.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// zlib's format, which DecompressionStream("deflate") of browsers reads.
std::string packed_text(std::string_view text);
std::string base64(std::string_view bytes);

}  // namespace peregrine
