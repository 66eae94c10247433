// tsdl: the `metadata` file of a CTF trace: what its streams, packets and events are made of, in CTF's own language.
//
// Every integer is 32 or 64 bits wide and starts at a byte, as everything else does: what an event class lists is what
// its bytes are, one field after the other. Format: Common Trace Format 1.8.3, https://diamon.org/ctf/v1.8.3, section 7
// and appendix C. Pure.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"

namespace peregrine {

using CtfUuid = std::array<u8, 16>;

struct CtfField {
  enum class Kind : u8 {
    Integer,
    Text,      // bytes up to a NUL
    Array,     // `length` integers
    Sequence,  // a u32 that counts them, then the integers
  };
  std::string name;
  Kind kind = Kind::Integer;
  bool wide = false;         // 64 bits, else 32
  bool is_signed = false;    // of its integers
  bool hexadecimal = false;  // how readers show them
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
  u64 offset_ns = 0;      // what is added to time stamps
  bool absolute = false;  // then they are since 1970
};

struct CtfTrace {
  CtfUuid uuid{}, clock_uuid{};
  std::vector<std::pair<std::string, std::string>> environment;
  CtfClock clock;
  std::vector<CtfEventClass> events;
};

// Makes identifiers of the fields' names: a word of the language gets a '_' in front, which readers take away again,
// the second field of a name "_dupl_1" behind, and what no identifier has becomes '_'.
void name_fields(CtfEventClass& event);

std::string tsdl_text(const CtfTrace& trace);

// "0f1e2d3c-…": 8, 4, 4, 4 and 12 digits.
std::string uuid_text(const CtfUuid& uuid);

}  // namespace peregrine
