// ByteReader and ByteWriter: bounded access to bytes of either byte order.
//
// A reader that runs past its end returns zeroes and remembers this: check ok() once after a group of reads. Byte
// order is that of the bytes, not of the host.
#pragma once
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.h"

namespace peregrine {

using Bytes = std::span<const std::byte>;

enum class ByteOrder { Little, Big };
inline constexpr ByteOrder kHostOrder = std::endian::native == std::endian::little ? ByteOrder::Little : ByteOrder::Big;

inline u64 swap_bytes(u64 v) { return __builtin_bswap64(v); }
inline u32 swap_bytes(u32 v) { return __builtin_bswap32(v); }
inline u16 swap_bytes(u16 v) { return __builtin_bswap16(v); }
inline u8 swap_bytes(u8 v) { return v; }

// Loads an unsigned integer in byte order `order`. `at` needs no alignment. The caller has checked the bounds.
template <class T>
T load(const std::byte* at, ByteOrder order = kHostOrder) {
  std::make_unsigned_t<T> value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<T>(order == kHostOrder ? value : swap_bytes(value));
}

// Stores an integer in byte order `order`. `at` needs no alignment. The caller has checked the bounds.
template <class T>
void store(std::byte* at, T value, ByteOrder order = kHostOrder) {
  auto raw = static_cast<std::make_unsigned_t<T>>(value);
  if (order != kHostOrder) raw = swap_bytes(raw);
  std::memcpy(at, &raw, sizeof raw);
}

// The text up to the first NUL, or all of it.
inline std::string_view up_to_nul(Bytes bytes) {
  const auto* chars = reinterpret_cast<const char*>(bytes.data());
  return bytes.empty() ? std::string_view() : std::string_view(chars, ::strnlen(chars, bytes.size()));
}

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes, ByteOrder order = kHostOrder) : bytes_(bytes), order_(order) {}

  template <class T>
  T get() {
    if (left() < sizeof(T)) {
      overrun();
      return T{};
    }
    const T value = load<T>(bytes_.data() + at_, order_);
    at_ += sizeof(T);
    return value;
  }
  u8 get8() { return get<u8>(); }
  u16 get16() { return get<u16>(); }
  u32 get32() { return get<u32>(); }
  u64 get64() { return get<u64>(); }

  // Takes the next `size` bytes. If there are fewer, returns none, moves to the end and clears ok().
  Bytes take(std::size_t size) {
    if (left() < size) {
      overrun();
      return {};
    }
    const Bytes result = bytes_.subspan(at_, size);
    at_ += size;
    return result;
  }
  void skip(std::size_t size) { take(size); }
  // Takes the next `size` bytes as text up to the first NUL.
  std::string_view text(std::size_t size) { return up_to_nul(take(size)); }
  // Takes text and the NUL that ends it. If there is no NUL, returns none, moves to the end and clears ok().
  std::string_view terminated_text() {
    const std::string_view text = up_to_nul(rest());
    if (text.size() == left()) {
      overrun();
      return {};
    }
    skip(text.size() + 1);
    return text;
  }

  Bytes rest() const { return bytes_.subspan(at_); }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }
  bool ok() const { return ok_; }
  ByteOrder order() const { return order_; }

 private:
  void overrun() {
    ok_ = false;
    at_ = bytes_.size();
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  ByteOrder order_;
  bool ok_ = true;
};

class ByteWriter {
 public:
  explicit ByteWriter(ByteOrder order = kHostOrder) : order_(order) {}

  template <class T>
  ByteWriter& put(T value) {
    auto raw = static_cast<std::make_unsigned_t<T>>(value);
    if (order_ != kHostOrder) raw = swap_bytes(raw);
    const auto* p = reinterpret_cast<const std::byte*>(&raw);
    bytes_.insert(bytes_.end(), p, p + sizeof raw);
    return *this;
  }
  ByteWriter& put8(u8 v) { return put(v); }
  ByteWriter& put16(u16 v) { return put(v); }
  ByteWriter& put32(u32 v) { return put(v); }
  ByteWriter& put64(u64 v) { return put(v); }
  ByteWriter& append(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  ByteWriter& append(std::string_view text) { return append(std::as_bytes(std::span(text))); }
  ByteWriter& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  // Pads with zeroes to a multiple of `unit`.
  ByteWriter& align(std::size_t unit) { return zeros((unit - bytes_.size() % unit) % unit); }
  // Overwrites an integer written earlier.
  template <class T>
  void patch(std::size_t offset, T value) {
    store(bytes_.data() + offset, value, order_);
  }

  std::size_t size() const { return bytes_.size(); }
  Bytes bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }
  ByteOrder order() const { return order_; }
  // Drops everything after the first `size` bytes.
  void truncate(std::size_t size) { bytes_.resize(size); }

 private:
  std::vector<std::byte> bytes_;
  ByteOrder order_;
};

}  // namespace peregrine
