#include "base/build_id.h"

#include <algorithm>
#include <cstddef>

#include "base/text/ascii.h"

namespace peregrine {

BuildId BuildId::from_bytes(Bytes raw) {
  BuildId id;
  const std::size_t count = std::min(raw.size(), kMaxSize);
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    id.bytes[i] = std::to_integer<u8>(raw[i]);
    any |= id.bytes[i] != 0;
  }
  if (any) id.size = static_cast<u8>(count);
  return id;
}

std::optional<BuildId> BuildId::parse(std::string_view hex) {
  if (hex.empty() || hex.size() % 2 != 0 || hex.size() > 2 * kMaxSize) return std::nullopt;
  BuildId id;
  id.size = static_cast<u8>(hex.size() / 2);
  for (std::size_t i = 0; i < id.size; ++i) {
    const int high = hex_digit(hex[2 * i]);
    const int low = hex_digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[i] = static_cast<u8>(high * 16 + low);
  }
  return id;
}

std::string BuildId::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace peregrine
