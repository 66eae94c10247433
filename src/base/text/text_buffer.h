// TextBuffer: a buffer for millions of lines of text, with fast formatting of numbers.
//
// Call room(n) with the maximum length of a line, then put_*(), which append without checks. Each slice of a replay has
// one and reuses it, so it stops allocating once it has grown.
#pragma once
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/number/digits.h"
#include "base/types.h"

namespace peregrine {

class TextBuffer {
 public:
  // Copies may write this many bytes beyond the text, and read as many beyond a padded source.
  static constexpr std::size_t kSlack = 64;

  void room(std::size_t bytes) {
    if (capacity_ - size_ < bytes + kSlack) grow(bytes + kSlack);
  }
  void clear() { size_ = 0; }
  // Drops everything after the first `size` bytes.
  void truncate(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {buffer_.get(), size_}; }
  std::size_t capacity() const { return capacity_; }

  void put(char c) { buffer_[size_++] = c; }
  void put(std::string_view text) {
    copy(buffer_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  // `text` must be followed by kSlack readable bytes, because whole blocks are copied.
  void put_padded(const char* text, std::size_t length) { end_at(padded_at(end(), text, length)); }
  void fill(char c, std::size_t count) {
    std::memset(buffer_.get() + size_, c, count);
    size_ += count;
  }
  // Right-aligns the text in `width` columns.
  void put_right(std::string_view text, std::size_t width) {
    if (text.size() < width) fill(' ', width - text.size());
    put(text);
  }
  void put_left(std::string_view text, std::size_t width) {
    put(text);
    if (text.size() < width) fill(' ', width - text.size());
  }
  // Like C's "%*u", "%*d" and "%*x", with `pad` before the digits. Widths up to 32.
  void put_decimal(u64 value, unsigned width = 0, char pad = ' ') { end_at(decimal_at(end(), value, width, pad)); }
  void put_signed(i64 value, unsigned width = 0, char pad = ' ') { end_at(signed_at(end(), value, width, pad)); }
  void put_hex(u64 value, unsigned width = 0, char pad = ' ') { end_at(hex_at(end(), value, width, pad)); }

  // Same as above, but at a position kept by the caller, which is cheaper than updating the end for each piece of a
  // line. Start at end(), pass the result of each call to the next, and finish with end_at().
  char* end() { return buffer_.get() + size_; }
  void end_at(const char* place) { size_ = size_at(place); }
  std::size_t size_at(const char* place) const { return static_cast<std::size_t>(place - buffer_.get()); }
  char* room_at(char* place, std::size_t bytes) {
    if (capacity_ - size_at(place) >= bytes + kSlack) return place;
    end_at(place);
    grow(bytes + kSlack);
    return end();
  }
  static char* padded_at(char* to, const char* text, std::size_t length) {
    std::size_t done = 0;
    do {
      std::memcpy(to + done, text + done, 32);
      done += 32;
    } while (done < length);
    return to + length;
  }
  static char* decimal_at(char* to, u64 value, unsigned width, char pad) {
    const unsigned count = decimal_digits(value);
    return write_decimal(pad_before(to, count, width, pad), value, count);
  }
  static char* signed_at(char* to, i64 value, unsigned width, char pad) {
    if (value >= 0) return decimal_at(to, static_cast<u64>(value), width, pad);
    const u64 rest = ~static_cast<u64>(value) + 1;
    const unsigned count = decimal_digits(rest);
    if (pad == '0') {
      *to = '-';
      return decimal_at(to + 1, rest, width > 0 ? width - 1 : 0, pad);
    }
    to = pad_before(to, count + 1, width, pad);
    *to = '-';
    return write_decimal(to + 1, rest, count);
  }
  static char* hex_at(char* to, u64 value, unsigned width, char pad) {
    const unsigned count = hex_digits(value);
    return write_hex(pad_before(to, count, width, pad), value, count);
  }

  // Writes a number below 1,000,000 with leading zeroes.
  void put_six_digits(u32 value) {
    char* to = buffer_.get() + size_;
    std::memcpy(to, &kPairs[value / 10000 * 2], 2);
    std::memcpy(to + 2, &kPairs[value / 100 % 100 * 2], 2);
    std::memcpy(to + 4, &kPairs[value % 100 * 2], 2);
    size_ += 6;
  }
  // Like "%#x": 0 has no prefix.
  void put_hex_prefixed(u64 value) {
    if (value != 0) put("0x");
    put_hex(value);
  }

 private:
  static char* pad_before(char* to, unsigned count, unsigned width, char pad) {
    if (count >= width) return to;
    std::memset(to, pad, 32);
    return to + (width - count);
  }
  static constexpr auto kPairs = [] {
    std::array<char, 200> pairs{};
    for (unsigned i = 0; i < 100; ++i) {
      pairs[2 * i] = static_cast<char>('0' + i / 10);
      pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
  }();

  // Most texts are short: two overlapping moves are cheaper than a call.
  static void copy(char* to, const char* from, std::size_t size) {
    if (size > 64) {
      std::memcpy(to, from, size);
    } else if (size > 32) {
      std::memcpy(to, from, 32);
      std::memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
      std::memcpy(to, from, 16);
      std::memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
      std::memcpy(to, from, 8);
      std::memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(to, from, 4);
      std::memcpy(to + size - 4, from + size - 4, 4);
    } else {
      for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  void grow(std::size_t bytes) {
    std::size_t capacity = capacity_ == 0 ? std::size_t{1} << 16 : capacity_;
    while (capacity - size_ < bytes) capacity *= 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace peregrine
