#include "output/json/trace_fields_json.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/types.h"
#include "event/field/trace_value.h"
#include "event/print/print_names.h"
#include "output/json/json_line.h"

namespace peregrine {
namespace {

void append_number(std::string& text, const TraceField& field, u64 value) {
  text += field.is_signed ? fmt::to_string(static_cast<i64>(value)) : fmt::to_string(value);
}

void append_array(std::string& text, const TraceField& field, Bytes bytes, ByteOrder order) {
  const u32 size = field.element_size();
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  text += '[';
  for (std::size_t at = 0; at + (whole ? size : 1) <= bytes.size(); at += whole ? size : 1) {
    if (at > 0) text += ',';
    const u64 value = load_number(bytes, at, whole ? size : 1, order);
    append_number(text, field, field.is_signed ? extend_sign(value, size) : value);
  }
  text += ']';
}

}  // namespace

void append_trace_fields(std::string& text, const TraceFormat& format, const PrintFormat& print, Bytes record) {
  JsonLine line(text);
  std::string labels = "{";
  line.key("fields");
  text += '{';
  bool whole = true;
  for (const TraceField& field : format.fields) {
    whole = text.size() <= PrintFormat::kMostText;  // formats are untrusted
    if (!whole) break;
    if (is_unavailable(field, record, print.order())) {
      line.key(field.name);
      text += "null";
      continue;
    }
    if (field.is_string && field.is_array) {
      line.string(field.name, text_of(field, record, print.order()));
      continue;
    }
    line.key(field.name);
    if (field.is_array) {
      append_array(text, field, bytes_of(field, record, print.order()), print.order());
      continue;
    }
    if (field.is_float) {
      char number[32];
      const std::string_view shown(number, float_at(number, number_of(field, record, print.order()), field.size));
      text += shown.find_first_of("in") == std::string_view::npos ? shown : "null";  // JSON has no inf and nan
      continue;
    }
    append_number(text, field, number_of(field, record, print.order()));
    const PrintNames* const names = print.names_of(field.name);
    if (names == nullptr) continue;
    const u64 value = load_number(record, field.offset, field.size, print.order());
    JsonLine(labels).string(field.name, names->text(value));
  }
  text += '}';
  if (!whole) line.number("incomplete", true);
  if (labels.size() > 1) line.raw("labels", labels += '}');
}

}  // namespace peregrine
