// EventPlan: an event of the recording as scripts' handlers see it: their name, and for a tracepoint each field's
// location and type.
//
// Built once per event by plan_event(); used by interpreters for every sample. Offsets and sizes come from the file:
// readers of a payload must check them against its bytes.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"

namespace peregrine::script {

enum class FieldKind : u8 {
  Unsigned,  // an integer of 1, 2, 4 or 8 bytes
  Signed,
  Text,   // char array, up to its NUL
  Bytes,  // one-byte elements, or any other type
  List,   // integers
};

// How the bytes are located.
enum class FieldPlace : u8 {
  Fixed,
  Located,   // offset | length << 16 of the bytes, from the record's start
  Relative,  // likewise, from the end of the locator
};

struct FieldPlan {
  std::string name;
  FieldKind kind = FieldKind::Unsigned;
  FieldPlace place = FieldPlace::Fixed;
  bool is_signed = false;
  u32 offset = 0, size = 0;  // of the locator, if any
  u32 element = 0;           // bytes per list element
  u32 mask_offset = 0;       // see TraceField: the word that marks a missing field
  u8 mask_bit = TraceField::kAlwaysAvailable;
};

// Fields common to all tracepoints; scripts can query them.
struct SharedFields {
  std::optional<FieldPlan> pid, flags, preempt_count, lock_depth;
};

// A print format's names for a field's values: for single bits or whole values.
struct FieldNames {
  std::string field, delimiter;
  bool flags = false;
  std::vector<std::pair<u64, std::string>> names;
};

struct EventPlan {
  std::string name;     // "sched:sched_switch", "cycles:u"
  std::string handler;  // "sched__sched_switch"; empty if it is not a tracepoint or has no recorded format
  u64 id = 0;           // of the tracepoint
  std::vector<FieldPlan> fields;
  SharedFields shared;
  std::vector<FieldNames> names;
  abi::EventAttr attr;
  std::vector<std::byte> attr_bytes;  // as perf_event_attr, in host order

  // nullptr: the field's values have no names.
  const FieldNames* names_of(const std::string& field) const;
};

// `format`: nullptr if the event is not a tracepoint or has no recorded format; `print`: nullptr if its fields have no
// names.
EventPlan plan_event(const data::Event& event, std::string_view name, const TraceFormat* format,
                     const PrintFormat* print = nullptr);

}  // namespace peregrine::script
