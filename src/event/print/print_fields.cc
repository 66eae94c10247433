#include "event/print/print_fields.h"

#include <string.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/text/printable_text.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"

namespace peregrine {

namespace {

// A byte array counts as text if its contents look like text.
bool is_text(const TraceField& field, Bytes bytes) {
  const auto has = [&](std::string_view part) { return field.type.find(part) != std::string::npos; };
  if (!has("char") && !has("u8") && !has("s8")) return false;
  for (const std::byte byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0) break;
    if ((c < 0x20 || c > 0x7e) && !(c >= '\t' && c <= '\r')) return false;
  }
  return true;
}

void put_array(TextBuffer& out, Bytes bytes) {
  out.room(bytes.size() * 4 + 16);
  out.put("ARRAY[");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out.put(", ");
    out.put_hex(static_cast<u8>(bytes[i]), 2, '0');
  }
  out.put(']');
}

bool shown_in_hex(const TraceField& field) { return field.is_pointer || field.type.find("long") != std::string::npos; }

void put_list(TextBuffer& out, const TraceField& field, Bytes bytes, ByteOrder order) {
  const u32 element = field.element_size();
  const bool whole = element == 2 || element == 4 || element == 8;
  const u32 size = whole ? element : 1;
  out.room(bytes.size() / size * 24 + 8);
  out.put('[');
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    if (at > 0) out.put(", ");
    const u64 value = load_number(bytes, at, size, order);
    if (field.is_signed)
      out.put_signed(static_cast<i64>(extend_sign(value, size)));
    else if (shown_in_hex(field))
      out.put_hex_prefixed(value);
    else
      out.put_decimal(value);
  }
  out.put(']');
}

}  // namespace

void put_field_value(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order) {
  if (is_unavailable(field, record, order)) {
    out.room(kUnavailable.size());
    return out.put(kUnavailable);
  }
  if (field.is_array) {
    const Bytes bytes = bytes_of(field, record, order);
    if (!is_text(field, bytes)) return put_array(out, bytes);
    const auto* chars = reinterpret_cast<const char*>(bytes.data());
    const std::size_t length = bytes.empty() ? 0 : ::strnlen(chars, bytes.size());
    out.room(length);
    return out.put(std::string_view(chars, length));
  }
  out.room(64);
  const u64 value = number_of(field, record, order);
  if (field.is_float) {
    char text[32];
    return out.put(std::string_view(text, float_at(text, value, field.size)));
  }
  if (field.is_signed) {
    const unsigned width = field.size == 1 ? 1 : field.size == 2 ? 2 : 0;
    return out.put_signed(static_cast<i64>(value), width);
  }
  if (!shown_in_hex(field)) return out.put_decimal(value);
  out.put("0x");
  out.put_hex(value);
}

void put_plain_value(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order) {
  if (!field.is_array || is_unavailable(field, record, order)) return put_field_value(out, field, record, order);
  const Bytes bytes = bytes_of(field, record, order);
  const bool chars = field.type == "char" || field.type == "const char";
  if (!chars && !(field.is_string && is_text(field, bytes))) return put_list(out, field, bytes, order);
  const std::string_view text = up_to_nul(bytes);
  out.room(text.size());
  out.put(text);
}

void put_named_field(TextBuffer& out, const TraceField& field, Bytes record, ByteOrder order) {
  out.room(field.name.size() + 2);
  out.put(' ');
  out.put(field.name);
  out.put('=');
  const std::size_t start = out.size();
  put_field_value(out, field, record, order);
  make_printable(out, start);
}

}  // namespace peregrine
