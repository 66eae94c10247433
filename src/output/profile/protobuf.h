// ProtobufMessage: encodes one protobuf message: fields by number, as varints, strings and packed numbers. Zero and
// empty fields are omitted, as in proto3.
#pragma once
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/leb128.h"
#include "base/types.h"

namespace peregrine {

class ProtobufMessage {
 public:
  void number(unsigned field, u64 value) {
    if (value != 0) any_number(field, value);
  }
  // Also 0, which differs from an absent value.
  void any_number(unsigned field, u64 value) {
    varint(u64{field} << 3);
    varint(value);
  }
  // A string or a message.
  void bytes(unsigned field, std::string_view value) {
    begin(field, value.size());
    text_ += value;
  }
  // The field's key and size; the caller appends the `size` bytes.
  void begin(unsigned field, std::size_t size) {
    varint(u64{field} << 3 | 2);
    varint(size);
  }
  void packed(unsigned field, std::span<const u64> values) {
    if (values.empty()) return;
    std::size_t size = 0;
    for (const u64 value : values) size += varint_size(value);
    begin(field, size);
    for (const u64 value : values) varint(value);
  }
  std::string_view text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  static std::size_t varint_size(u64 value) { return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7; }
  void varint(u64 value) { append_uleb128(text_, value); }
  std::string text_;
};

}  // namespace peregrine
