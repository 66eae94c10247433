#include "analysis/field/traced_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/text_buffer.h"
#include "event/field/trace_value.h"
#include "event/print/print_fields.h"

namespace peregrine {

namespace {
// Whether the format shows a number, perhaps with names.
bool is_numeric(const TraceField& field) {
  return !field.is_array && (field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8);
}

// "vda1", or "254,1" for an unknown device.
std::string device_text(u64 device, const PrintNames* names) {
  if (names != nullptr) {
    const auto known = std::ranges::find(names->words, std::optional(device), &PrintNames::Word::value);
    if (known != names->words.end()) return known->text;
  }
  return fmt::format("{},{}", device >> 20, device & 0xfffff);
}
}  // namespace

bool is_number(const TraceField& field) { return is_numeric(field) && !field.is_data_loc && !field.is_rel_loc; }

bool is_device(const TraceField& field) { return field.type == "dev_t" && field.size == 4 && !field.is_array; }

bool has_device(const TraceFormat& format) { return std::ranges::any_of(format.fields, is_device); }

FieldForm kind_of(const TraceField& field, const PrintNames* names) {
  if (!is_number(field)) return FieldForm::Text;
  if (is_device(field)) return FieldForm::Named;
  return names != nullptr ? FieldForm::Named : FieldForm::Number;
}

std::optional<i128> traced_number(const TraceField& field, Bytes raw, ByteOrder order) {
  if (!is_number(field) || is_unavailable(field, raw, order)) return std::nullopt;
  const u64 bits = number_of(field, raw, order);
  return field.is_signed ? i128{static_cast<i64>(bits)} : i128{bits};
}

void append_traced(std::string& out, const TraceField& field, const PrintNames* names, Bytes raw, ByteOrder order) {
  if (is_device(field) && !is_unavailable(field, raw, order)) {
    out += device_text(load_number(raw, field.offset, field.size, order), names);
    return;
  }
  if (names != nullptr && is_numeric(field) && !is_unavailable(field, raw, order)) {
    const std::string text = names->text(load_number(raw, field.offset, field.size, order));
    out += text.empty() ? "0" : text;
    return;
  }
  TextBuffer text;
  put_plain_value(text, field, raw, order);
  auto shown = text.view();
  while (shown.starts_with(' ')) shown.remove_prefix(1);
  out += shown;
}

bool names_event(std::string_view word, std::string_view event) {
  return word == event ||
         (event.ends_with(word) && event.size() > word.size() && event[event.size() - word.size() - 1] == ':');
}

}  // namespace peregrine
