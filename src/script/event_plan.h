// EventPlan: one event of the recording as a script's handlers see it: their name, and where each field of a
// tracepoint lies and what it becomes.
//
// Made once per event by plan_event(); read by the interpreters for every sample. Offsets and sizes come from the file:
// whoever reads a payload checks them against its bytes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"

namespace peregrine::script {

enum class FieldKind : u8 {
  Unsigned,  // an integer of 1, 2, 4 or 8 bytes
  Signed,
  Text,   // of a char array, up to its NUL
  Bytes,  // elements of one byte, or nothing that fits elsewhere
  List,   // integers
};

// Where the bytes are.
enum class FieldPlace : u8 {
  Fixed,
  Located,   // offset | length << 16 of the bytes, from the record's start
  Relative,  // the same, from behind the locator
};

struct FieldPlan {
  std::string name;
  FieldKind kind = FieldKind::Unsigned;
  FieldPlace place = FieldPlace::Fixed;
  bool is_signed = false;
  u32 offset = 0, size = 0;  // of the locator, if there is one
  u32 element = 0;           // bytes of one of a list
  u32 mask_offset = 0;       // of TraceField: where a record says that it lacks the field
  u8 mask_bit = TraceField::kAlwaysAvailable;
};

// Fields that every tracepoint has, where a script may ask for them.
struct SharedFields {
  std::optional<FieldPlan> pid, flags, preempt_count, lock_depth;
};

// Names that the print format has for a field's values: of single bits, or of whole values.
struct FieldNames {
  std::string field, delimiter;
  bool flags = false;
  std::vector<std::pair<u64, std::string>> names;
};

struct EventPlan {
  std::string name;     // "sched:sched_switch", "cycles:u"
  std::string handler;  // "sched__sched_switch"; empty: not a tracepoint, or one whose format was not recorded
  u64 id = 0;           // of the tracepoint
  std::vector<FieldPlan> fields;
  SharedFields shared;
  std::vector<FieldNames> names;
  abi::EventAttr attr;
  std::vector<std::byte> attr_bytes;  // as perf_event_attr, in host order

  // nullptr: the field's values have no names.
  const FieldNames* names_of(const std::string& field) const;
};

// `format`: nullptr where the event is no tracepoint, or the recording lacks its format; `print`: nullptr where its
// fields have no names.
EventPlan plan_event(const data::Event& event, std::string_view name, const TraceFormat* format,
                     const PrintFormat* print = nullptr);

}  // namespace peregrine::script
