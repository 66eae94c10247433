#include "event/field/trace_format.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {

namespace {

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The value after `key` in a field line, up to the next ';'.
std::optional<u64> attribute(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto value = line.substr(at + key.size());
  return to_number(trim(value.substr(0, value.find(';'))));
}

// Removes each "[N]", "[]" or "[NAME]" from the end of a declaration, and multiplies the lengths of several.
void take_array(std::string_view& declaration, TraceField& field) {
  while (declaration.ends_with(']')) {
    const auto open = declaration.rfind('[');
    if (open == std::string_view::npos) return;
    const auto inside = declaration.substr(open + 1, declaration.size() - open - 2);
    const u32 length = static_cast<u32>(to_number(trim(inside)).value_or(0));
    field.array_length = field.is_array ? field.array_length * length : length;
    field.is_array = true;
    declaration = trim(declaration.substr(0, open));
  }
}

// Parses "char prev_comm[16]", "__data_loc char[] filename", "const char * filename", "unsigned long args[6]".
bool parse_declaration(std::string_view text, TraceField& field) {
  field.declaration = text;
  std::string_view rest = trim(text);
  for (const auto& [prefix, place] : {std::pair{std::string_view("__data_loc "), &field.is_data_loc},
                                      std::pair{std::string_view("__rel_loc "), &field.is_rel_loc}}) {
    if (!rest.starts_with(prefix)) continue;
    *place = true;
    rest = trim(rest.substr(prefix.size()));
  }
  take_array(rest, field);
  std::size_t name_at = rest.size();
  while (name_at > 0 && name_char(rest[name_at - 1])) --name_at;
  if (name_at == rest.size()) return false;
  field.name = rest.substr(name_at);
  auto type = trim(rest.substr(0, name_at));
  const bool dynamic = field.is_data_loc || field.is_rel_loc;
  if (dynamic) take_array(type, field);
  field.is_array = field.is_array || dynamic;
  field.type = type;
  field.is_pointer = type.ends_with('*');
  const bool chars = type == "char" || type == "unsigned char" || type == "const char" || type == "signed char";
  field.is_string = (field.is_array && (type == "char" || type == "const char")) || (dynamic && chars) ||
                    type == "const char *" || type == "char *";
  return true;
}

bool parse_field(std::string_view line, TraceField& field) {
  const auto at = line.find("field:");
  const bool special = at == std::string_view::npos;
  const auto start = special ? line.find("field special:") : at;
  if (start == std::string_view::npos) return false;
  const auto text = line.substr(start + (special ? 14 : 6));
  const auto end = text.find(';');
  if (end == std::string_view::npos || !parse_declaration(text.substr(0, end), field)) return false;
  const auto rest = text.substr(end + 1);
  const auto offset = attribute(rest, "offset:"), size = attribute(rest, "size:");
  if (!offset || !size || *offset > 0xffffffff || *size > 0xffffffff) return false;
  field.offset = static_cast<u32>(*offset);
  field.size = static_cast<u32>(*size);
  field.is_signed = attribute(rest, "signed:").value_or(0) != 0;
  return true;
}

void remove_text(std::string& from, std::string_view text) {
  if (const auto at = from.find(text); at != std::string::npos) from.erase(at, text.size());
}

// Removes the fields that mark unavailable arguments, and gives each argument its bit in them. Placeholders and their
// masks are written by probe/argument/argument_gaps.h.
void take_masks(TraceFormat& format) {
  constexpr std::size_t kBits = 64;
  for (std::size_t word = 0; word < std::size(kUnavailableMasks); ++word) {
    const std::string_view name = kUnavailableMasks[word];
    const auto mask = std::ranges::find(format.fields, name, &TraceField::name);
    if (mask == format.fields.end() || mask->size != 8 || mask->is_array) continue;
    std::size_t argument = 0;
    for (TraceField& field : format.fields) {
      if (field.name.starts_with("__probe_") ||
          std::ranges::find(kUnavailableMasks, field.name) != std::end(kUnavailableMasks))
        continue;
      if (argument / kBits == word) {
        field.mask_offset = mask->offset;
        field.mask_bit = static_cast<u8>(argument % kBits);
      }
      ++argument;
    }
    format.masks.push_back(*mask);
  }
  for (const TraceField& mask : format.masks) {
    std::erase_if(format.fields, [&](const TraceField& field) { return field.name == mask.name; });
    remove_text(format.print_fmt, " " + mask.name + "=0x%Lx");
    remove_text(format.print_fmt, ", REC->" + mask.name);
  }
}

void mark_floats(TraceFormat& format) {
  for (TraceField& field : format.fields) {
    if (field.is_array || field.is_signed || !field.name.starts_with("arg")) continue;
    field.is_float = (field.size == 4 && field.name.ends_with(kFloatSuffixes[0])) ||
                     (field.size == 8 && field.name.ends_with(kFloatSuffixes[1]));
  }
}

}  // namespace

u32 TraceField::element_size() const {
  if (!is_array) return size;
  if (!is_data_loc && !is_rel_loc && array_length > 0) return size / array_length;
  if (type.find("char") != std::string::npos || type == "u8" || type == "s8" || type == "__u8" || type == "bool")
    return 1;
  if (type.find("short") != std::string::npos || type.ends_with("16")) return 2;
  if (type.find("long") != std::string::npos || type.ends_with("64") || is_pointer) return 8;
  return 4;
}

const TraceField* TraceFormat::find(std::string_view field) const {
  for (const auto* list : {&fields, &common, &masks})
    for (const auto& each : *list)
      if (each.name == field) return &each;
  return nullptr;
}

void add_enumerators(Enumerations& enumerations, TraceFormat& format) {
  for (TraceField& field : format.fields)
    if (!field.is_array && !field.is_data_loc && !field.is_rel_loc && field.enumerators.empty() &&
        field.type.find("enum ") != std::string::npos)
      field.enumerators = enumerations.of(field.type);
}

Result<TraceFormat> parse_trace_format(std::string_view system, std::string_view text) {
  TraceFormat format;
  format.system = system;
  bool has_id = false, in_fields = false, after_gap = false;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    const std::string_view from_here = text;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("name:")) {
      format.name = trim(line.substr(5));
    } else if (line.starts_with("ID:")) {
      const auto id = to_number(trim(line.substr(3)));
      if (!id || *id > 0xffffffff)
        return fail(ErrorKind::Malformed, "tracepoint {}:{}: missing number in '{}'", system, format.name, line);
      format.id = static_cast<u32>(*id);
      has_id = true;
    } else if (line.starts_with("format:")) {
      in_fields = true;
    } else if (line.starts_with("print fmt:")) {
      format.print_fmt = trim(from_here.substr(10));  // may span several lines; nothing follows it
      break;
    } else if (in_fields && trim(line).empty()) {
      after_gap = true;
    } else if (in_fields) {
      TraceField field;
      if (!parse_field(line, field))
        return fail(ErrorKind::Malformed, "tracepoint {}:{}: invalid field '{}'", system, format.name, trim(line));
      (after_gap ? format.fields : format.common).push_back(std::move(field));
    }
  }
  if (format.name.empty() || !has_id)
    return fail(ErrorKind::Malformed, "tracepoint format of system '{}' has no name or ID", system);
  take_masks(format);
  if (system.starts_with("sdt_")) mark_floats(format);
  return format;
}

}  // namespace peregrine
