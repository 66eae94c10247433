// ScriptText: the buffer a script slice is rendered into: plain bytes, numbers formatted by hand.
//
// room(n) once for a line whose longest form is known, then put_*() without checks; each moves the end. One per slice,
// reused: no heap once it has grown.
#pragma once
#include <cstring>
#include <memory>
#include <string_view>

#include "base/types.h"

namespace peregrine {

class ScriptText {
 public:
  // Copies may write this many bytes beyond what they keep, and read as many beyond their source when it is padded.
  static constexpr std::size_t kSlack = 64;

  void room(std::size_t bytes) {
    if (capacity_ - size_ < bytes + kSlack) grow(bytes + kSlack);
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {buffer_.get(), size_}; }
  std::size_t capacity() const { return capacity_; }

  void put(char c) { buffer_[size_++] = c; }
  void put(std::string_view text) {
    std::memcpy(buffer_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  // `text` must be followed by kSlack readable bytes: whole blocks are copied.
  void put_padded(const char* text, std::size_t length) {
    char* to = buffer_.get() + size_;
    std::size_t done = 0;
    do {
      std::memcpy(to + done, text + done, 32);
      done += 32;
    } while (done < length);
    size_ += length;
  }
  void fill(char c, std::size_t count) {
    std::memset(buffer_.get() + size_, c, count);
    size_ += count;
  }
  // Blanks before the text up to `width`.
  void put_right(std::string_view text, std::size_t width) {
    if (text.size() < width) fill(' ', width - text.size());
    put(text);
  }
  void put_left(std::string_view text, std::size_t width) {
    put(text);
    if (text.size() < width) fill(' ', width - text.size());
  }
  // As "%*u", "%*d", "%*x" of C; `pad` before the digits.
  void put_decimal(u64 value, unsigned width = 0, char pad = ' ') {
    char digits[20];
    char* at = digits + sizeof digits;
    do {
      *--at = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    put_digits(at, digits + sizeof digits, width, pad);
  }
  void put_signed(i64 value, unsigned width = 0, char pad = ' ') {
    if (value >= 0) return put_decimal(static_cast<u64>(value), width, pad);
    char digits[21];
    char* at = digits + sizeof digits;
    u64 rest = ~static_cast<u64>(value) + 1;
    do {
      *--at = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    *--at = '-';
    put_digits(at, digits + sizeof digits, width, pad);
  }
  void put_hex(u64 value, unsigned width = 0, char pad = ' ') {
    char digits[16];
    char* at = digits + sizeof digits;
    do {
      *--at = "0123456789abcdef"[value & 15];
      value >>= 4;
    } while (value != 0);
    put_digits(at, digits + sizeof digits, width, pad);
  }
  // As "%#x": 0 has no prefix.
  void put_hex_prefixed(u64 value) {
    if (value != 0) put("0x");
    put_hex(value);
  }

 private:
  void put_digits(const char* first, const char* last, unsigned width, char pad) {
    const auto length = static_cast<std::size_t>(last - first);
    if (length < width) fill(pad, width - length);
    put(std::string_view(first, length));
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
