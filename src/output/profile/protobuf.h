// ProtobufMessage: encodes one protobuf message: fields by number, as varints, strings and packed numbers. Zero and
// empty fields are omitted, as in proto3.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

class ProtobufMessage {
 public:
  void number(unsigned field, u64 value) {
    if (value == 0) return;
    varint(u64{field} << 3);
    varint(value);
  }
  // A string or a message.
  void bytes(unsigned field, std::string_view value) {
    varint(u64{field} << 3 | 2);
    varint(value.size());
    text_ += value;
  }
  void packed(unsigned field, std::span<const u64> values) {
    if (values.empty()) return;
    ProtobufMessage inner;
    for (const u64 value : values) inner.varint(value);
    bytes(field, inner.text());
  }
  std::string_view text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  void varint(u64 value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

}  // namespace peregrine
