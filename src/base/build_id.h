// BuildId: the identity of a binary or kernel image, the contents of its NT_GNU_BUILD_ID note (up to 20 bytes).
//
// perf.data carries it in MMAP2 records and in the build-id feature; `symbol` reads it from files. An empty id means
// "not known" and equals only another empty one.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

struct BuildId {
  static constexpr std::size_t kMaxSize = 20;

  u8 size = 0;
  std::array<u8, kMaxSize> bytes{};  // zero beyond `size`

  bool empty() const { return size == 0; }
  explicit operator bool() const { return size != 0; }
  friend auto operator<=>(const BuildId&, const BuildId&) = default;

  // Takes the first 20 bytes of `raw`, like linux-perf. No bytes, or only zeroes, give an empty id.
  static BuildId from_bytes(Bytes raw);
  // Parses an even number (2 to 40) of hex digits, with nothing after them.
  static std::optional<BuildId> parse(std::string_view hex);
  // Lower-case hex digits, two for each byte.
  std::string hex() const;
  // Compares like linux-perf: a recorded id padded with zeroes to 20 bytes matches the file's shorter one.
  bool matches(const BuildId& other) const { return bytes == other.bytes; }
};

}  // namespace peregrine

template <>
struct std::hash<peregrine::BuildId> {
  std::size_t operator()(const peregrine::BuildId& id) const noexcept {
    return peregrine::load<peregrine::u64>(reinterpret_cast<const std::byte*>(id.bytes.data())) *
           std::size_t{0x9e3779b97f4a7c15};
  }
};
