// tsdl: the `metadata` file of a CTF trace: describes its streams, packets and events in CTF's language.
//
// Integers are 32 or 64 bits and everything is byte-aligned, so an event's bytes are exactly the listed fields in
// order. Format: Common Trace Format 1.8.3, https://diamon.org/ctf/v1.8.3, section 7 and appendix C. Pure.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"

namespace peregrine {

using CtfUuid = std::array<u8, 16>;

struct CtfField {
  enum class Kind : u8 {
    Integer,
    Text,      // NUL-terminated
    Array,     // `length` integers
    Sequence,  // a u32 count, then the integers
  };
  std::string name;
  Kind kind = Kind::Integer;
  bool wide = false;         // 64 bits, else 32
  bool is_signed = false;    // of its integers
  bool hexadecimal = false;  // display base for readers
  u32 length = 0;
  std::string count_name = {};  // of a sequence
};

struct CtfEventClass {
  u32 id = 0;
  std::string name;
  std::vector<CtfField> fields;
};

struct CtfClock {
  std::string description = "perf clock";
  u64 offset_ns = 0;      // added to time stamps
  bool absolute = false;  // times plus offset are since 1970
};

struct CtfTrace {
  CtfUuid uuid{}, clock_uuid{};
  std::vector<std::pair<std::string, std::string>> environment;
  CtfClock clock;
  std::vector<CtfEventClass> events;
};

// Turns field names into identifiers: keywords get a leading '_', which readers remove; a duplicate gets "_dupl_1"
// appended; invalid characters become '_'.
void name_fields(CtfEventClass& event);

std::string tsdl_text(const CtfTrace& trace);

// "0f1e2d3c-…": 8, 4, 4, 4 and 12 digits.
std::string uuid_text(const CtfUuid& uuid);

}  // namespace peregrine
