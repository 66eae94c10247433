// TraceFormat: the fields of one tracepoint, parsed from its tracefs `format` file (live or from a recording).
//
// The print format is kept as raw text. Formats from files are untrusted: offsets and sizes are passed on unchecked;
// whoever reads a record must check them against its bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// A named enum value: HRTIMER_MODE_REL, 1.
struct Enumerator {
  std::string name;
  i64 value = 0;
};

// Provides the enums of a kernel.
class Enumerations {
 public:
  virtual ~Enumerations() = default;
  // For a declared type: "enum hrtimer_mode", "const enum landlock_rule_type"; empty if it is not an enum.
  virtual std::vector<Enumerator> of(std::string_view type) = 0;
};

struct TraceField {
  std::string name;  // "prev_comm"
  std::string
      type;  // "char[16]" → "char"; "__data_loc char[]" → "char"; else as written: "unsigned long", "const char *"
  std::string declaration;  // the whole text between "field:" and ";"
  u32 offset = 0;
  u32 size = 0;  // bytes in the record (for __data_loc, of its 4-byte locator)
  bool is_signed = false;
  bool is_float = false;  // the integer has the bits of a float (4 bytes) or a double: see kFloatSuffixes
  bool is_array = false;
  u32 array_length = 0;      // elements; 0 for a flexible or dynamic array
  bool is_data_loc = false;  // 4 bytes: offset | length << 16, from the record's start
  bool is_rel_loc = false;   // the same, from the end of this field
  bool is_pointer = false;
  bool is_string = false;  // char array, char __data_loc or char pointer
  static constexpr u8 kAlwaysAvailable = 0xff;
  u32 mask_offset = 0;  // offset of the record's 8-byte word in which bit `mask_bit` marks this field as a placeholder
  u8 mask_bit = kAlwaysAvailable;
  std::vector<Enumerator> enumerators;  // for an enum; empty unless add_enumerators() found them
  u32 element_size() const;             // bytes per array element; the size for other types
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

// A probe's event has the same arguments at all its locations. Where one is unavailable, the kernel records a
// placeholder and sets its bit in these words, which `probe` adds to such events: the first for arguments 0 to 63, the
// second for 64 to 127. parse_trace_format removes them from the fields and the print format.
inline constexpr std::string_view kUnavailableMasks[] = {"__unavailable", "__unavailable64"};
// Shown instead of a placeholder.
inline constexpr std::string_view kUnavailable = "(unavailable)";

// The kernel has no floating-point fields. Arguments of SDT markers that are floating-point numbers become integers
// with names that end so (probe/registry/sdt_note.h).
inline constexpr std::string_view kFloatSuffixes[] = {"_float", "_double"};

// Sets the enumerators of all enum fields.
void add_enumerators(Enumerations& enumerations, TraceFormat& format);

Result<TraceFormat> parse_trace_format(std::string_view system, std::string_view text);

}  // namespace peregrine
