// TraceFormat: the fields of one tracepoint, parsed from the text of its tracefs `format` file (live or from a
// recording).
//
// The print format is kept as raw text. Untrusted input when it comes from a file: offsets and sizes are only reported,
// the reader of a payload checks them against its bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// A name of a value of an enum: HRTIMER_MODE_REL, 1.
struct Enumerator {
  std::string name;
  i64 value = 0;
};

// Knows the enums of a kernel.
class Enumerations {
 public:
  virtual ~Enumerations() = default;
  // Of a type as declared: "enum hrtimer_mode", "const enum landlock_rule_type"; nothing when it is no enum.
  virtual std::vector<Enumerator> of(std::string_view type) = 0;
};

struct TraceField {
  std::string name;  // "prev_comm"
  std::string
      type;  // "char[16]" → "char"; "__data_loc char[]" → "char"; else as written: "unsigned long", "const char *"
  std::string declaration;  // the whole text between "field:" and ";"
  u32 offset = 0;
  u32 size = 0;  // bytes in the record (of a __data_loc field: its 4-byte locator)
  bool is_signed = false;
  bool is_array = false;
  u32 array_length = 0;      // elements; 0 for a flexible or dynamic array
  bool is_data_loc = false;  // 4 bytes: offset | length << 16, from the record's start
  bool is_rel_loc = false;   // the same, from the end of this field
  bool is_pointer = false;
  bool is_string = false;  // char array, char __data_loc or char pointer
  static constexpr u8 kAlwaysAvailable = 0xff;
  u32 mask_offset = 0;  // of the record's 8-byte word whose bit `mask_bit` says that this field is a placeholder
  u8 mask_bit = kAlwaysAvailable;
  std::vector<Enumerator> enumerators;  // of an enum; empty unless add_enumerators() has found them
  u32 element_size() const;             // bytes of one element of an array; its size for other types
};

struct TraceFormat {
  std::string system, name;
  u32 id = 0;
  std::vector<TraceField> common;  // fields before the first blank line
  std::vector<TraceField> fields;
  std::vector<TraceField> masks;                         // not among `fields`; see kUnavailableMask
  std::string print_fmt;                                 // everything after "print fmt: "
  const TraceField* find(std::string_view field) const;  // own fields first, then common ones
};

// A probe's event has the same arguments at all of its locations. Where one is unavailable, the kernel records a
// placeholder, and these words, which `probe` adds to such events, have its bit set: the first the bits of arguments
// 0 to 63, the second of 64 to 127. parse_trace_format takes them out of the fields and of the print format.
inline constexpr std::string_view kUnavailableMasks[] = {"__unavailable", "__unavailable64"};
// What is shown instead of a placeholder.
inline constexpr std::string_view kUnavailable = "(unavailable)";

// For the fields that are enums.
void add_enumerators(Enumerations& enumerations, TraceFormat& format);

Result<TraceFormat> parse_trace_format(std::string_view system, std::string_view text);

}  // namespace peregrine
