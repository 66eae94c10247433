#include "analysis/timeline/event_fields.h"

#include <algorithm>

#include "analysis/timeline/packed_columns.h"
#include "base/text/text_buffer.h"
#include "event/field/trace_value.h"
#include "event/print/print_fields.h"

namespace peregrine {

namespace {

constexpr u32 kMostElements = 8;          // longer arrays are one text
constexpr std::size_t kMostKnown = 4096;  // texts remembered for the values of one field
constexpr std::size_t kLongestText = 200;
constexpr unsigned kHalfBits = 32;

ColumnKind number_kind(u32 size, bool is_signed, bool is_pointer) {
  if (size < 8) return ColumnKind::Number;
  return is_pointer ? ColumnKind::Address : is_signed ? ColumnKind::SignedWide : ColumnKind::Wide;
}

// The formats of sched_switch print these states by a condition around the table: 0 is R, and a mark for preemption.
std::string switched_state(const PrintNames& names, u64 value) {
  constexpr u64 kStates = 0xff, kPreempted = 0x100;
  std::string text = (value & kStates) == 0 ? "R" : names.text(value & kStates);
  return (value & kPreempted) == 0 ? text : text + '+';
}

// Whether the number is printed as an address, by its name: formats rarely declare addresses as pointers.
bool looks_like_address(std::string_view name) {
  return name == "ip" || name == "address" || name == "addr" || name.ends_with("_ip") || name.ends_with("addr") ||
         name.ends_with("ptr");
}

}  // namespace

FieldReader::FieldReader(const TraceFormat& format, const PrintFormat* print, ByteOrder order) : order_(order) {
  for (const TraceField& field : format.fields) add(field, print);
}

void FieldReader::add(const TraceField& field, const PrintFormat* print) {
  const PrintNames* const names = print != nullptr ? print->names_of(field.name) : nullptr;
  const u32 element = field.element_size();
  const bool elements = element == 1 || element == 2 || element == 4 || element == 8;
  if (field.is_string && !field.is_pointer) {
    columns_.push_back({field.name, ColumnKind::Text});
    places_.push_back({&field, Source::String});
  } else if (field.is_array && !field.is_data_loc && !field.is_rel_loc && elements && field.array_length > 0 &&
             field.array_length <= kMostElements) {
    for (u32 at = 0; at < field.array_length; ++at) {
      std::string name = field.name + '[';
      name += std::to_string(at);
      columns_.push_back({name + ']', number_kind(element, field.is_signed, !field.is_signed)});
      places_.push_back({&field, Source::Element, at});
    }
  } else if (field.is_array || field.is_data_loc || field.is_rel_loc) {
    columns_.push_back({field.name, ColumnKind::Text});
    places_.push_back({&field, Source::Printed});
  } else if (names != nullptr) {
    columns_.push_back({field.name, ColumnKind::Text});
    places_.push_back({&field, Source::Named, 0, names});
  } else if (print != nullptr && print->is_symbol(field.name)) {
    columns_.push_back({field.name, ColumnKind::Text});
    places_.push_back({&field, Source::Symbol});
  } else {
    columns_.push_back(
        {field.name, number_kind(field.size, field.is_signed, field.is_pointer || looks_like_address(field.name))});
    places_.push_back({&field, Source::Number});
  }
}

u32 FieldReader::text_of_value(Place& place, u64 value, const Intern& intern, const Symbol& symbol) const {
  if (const auto known = place.texts.find(value); known != place.texts.end()) return known->second;
  std::string text;
  if (place.source == Source::Symbol)
    text = symbol(value);
  else if (place.field->name == "prev_state")
    text = switched_state(*place.names, value);
  else
    text = place.names->text(value);
  if (text.empty()) text = PrintNames::number_text(value);
  const u32 id = intern(text);
  if (place.texts.size() < kMostKnown) place.texts.emplace(value, id);
  return id;
}

void FieldReader::read(Bytes record, const Intern& intern, const Symbol& symbol, std::vector<u64>& values) {
  for (Place& place : places_) {
    const TraceField& field = *place.field;
    switch (place.source) {
      case Source::Number:
        values.push_back(number_of(field, record, order_));
        break;
      case Source::Element: {
        const u32 size = field.element_size();
        const u64 value = load_number(record, u64{field.offset} + u64{place.element} * size, size, order_);
        values.push_back(field.is_signed ? extend_sign(value, size) : value);
        break;
      }
      case Source::String:
        values.push_back(intern(text_of(field, record, order_).substr(0, kLongestText)));
        break;
      case Source::Named:
      case Source::Symbol:
        values.push_back(text_of_value(place, number_of(field, record, order_), intern, symbol));
        break;
      case Source::Printed: {
        TextBuffer text;
        put_plain_value(text, field, record, order_);
        values.push_back(intern(text.view().substr(0, kLongestText)));
        break;
      }
    }
  }
}

void append_fields_of_type(std::string& out, std::span<const TimelineColumn> columns, std::span<const u64> values) {
  const std::size_t rows = columns.empty() ? 0 : values.size() / columns.size();
  std::vector<u64> column(rows);
  for (std::size_t at = 0; at < columns.size(); ++at) {
    for (std::size_t row = 0; row < rows; ++row) column[row] = values[row * columns.size() + at];
    if (!columns[at].wide()) {
      append_column(out, Coding::Steps, column, [](u64 value) { return value; });
      continue;
    }
    append_column(out, Coding::Steps, column, [](u64 value) { return value >> kHalfBits; });
    append_column(out, Coding::Steps, column, [](u64 value) { return value & 0xffffffffu; });
  }
}

std::vector<u64> unpack_fields(std::string_view fields, std::span<const u32> counts,
                               std::span<const std::vector<TimelineColumn>> columns, u32 type) {
  ColumnReader reader(fields);
  std::vector<u64> values;
  for (u32 at = 0; at <= type && at < counts.size() && at < columns.size(); ++at) {
    if (counts[at] == 0) continue;
    const std::size_t width = columns[at].size();
    if (at == type) values.resize(counts[at] * width);
    for (std::size_t column = 0; column < width; ++column) {
      const bool wide = columns[at][column].wide();
      if (at != type) {
        reader.skip_column();
        if (wide) reader.skip_column();
        continue;
      }
      const auto put = [&](std::size_t row, u64 value) {
        values[row * width + column] =
            values[row * width + column] << kHalfBits | (value & (wide ? 0xffffffffu : ~u64{0}));
      };
      if (wide) reader.column(counts[at], Coding::Steps, put);
      reader.column(counts[at], Coding::Steps, put);
    }
  }
  return values;
}

}  // namespace peregrine
