// ByteBuffer: appends integers and text in a chosen byte order.
//
// The tests' own writer, deliberately neither base/bytes.h nor a production encoder: an error there must not be hidden
// by the same error here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace peregrine::support {

enum class Endian { Little, Big };

class ByteBuffer {
 public:
  explicit ByteBuffer(Endian endian = Endian::Little) : endian_(endian) {}

  // The low `width` bytes of value.
  ByteBuffer& put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) {
      const unsigned shift = 8 * (endian_ == Endian::Little ? i : width - 1 - i);
      bytes_.push_back(static_cast<std::byte>(value >> shift));
    }
    return *this;
  }
  ByteBuffer& put16(std::uint64_t value) { return put(value, 2); }
  ByteBuffer& put32(std::uint64_t value) { return put(value, 4); }
  ByteBuffer& put64(std::uint64_t value) { return put(value, 8); }
  ByteBuffer& text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  // Text, at least one NUL, and zeros up to a multiple of `unit`.
  ByteBuffer& ended_text(std::string_view value, std::size_t unit) { return text(value).zeros(1).align(unit); }
  ByteBuffer& append(const std::vector<std::byte>& more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  ByteBuffer& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  ByteBuffer& align(std::size_t unit) { return zeros((unit - bytes_.size() % unit) % unit); }

  Endian endian() const { return endian_; }
  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  Endian endian_;
  std::vector<std::byte> bytes_;
};

}  // namespace peregrine::support
