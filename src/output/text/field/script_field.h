// ScriptField: one row per field of `script -F`. It defines everything about the field:
//
//   row ──▶ ScriptFields       parses -F, applies defaults, rejects what a recording lacks   script_fields.h
//       ──▶ ScriptPlan         compiles each event's columns, in the order of ColumnPlace    script_plan.h
//       ──▶ machine_columns()  columns of --format csv, jsonl and binary                     field_value.h
//
// A plain field has a `kind` and a value, which all formats print: `number` if a sample records it, in which case the
// row comes from abi/recorded_field.h, otherwise `value`. Any other field has a printer for text, `start` or `put`, in
// a file of this folder. Lines of single branches have different columns (branch_record.cc). Rows are constants; the
// table is in script_field_rows.h.
#pragma once
#include <cstddef>
#include <string_view>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"

namespace peregrine {

struct FieldSource;  // a sample, to read values from
struct FieldValue;
struct LineStart;  // a line under construction, up to its time
struct SampleLine;

enum class ScriptType : u8 { Hardware, Software, Tracepoint, HwCache, Raw, Breakpoint, Synth, Other };
inline constexpr std::size_t kScriptTypes = 8;
ScriptType script_type(const abi::EventAttr& attr);

using ScriptTypes = u8;  // a set, one bit per type
template <class... Type>
constexpr ScriptTypes types_of(Type... type) {
  return static_cast<ScriptTypes>(((1u << static_cast<unsigned>(type)) | ...));
}
inline constexpr ScriptTypes kAllTypes = 0xff;

// The columns of a line, from left to right. Fields at the same place are printed in the order of the table.
enum class ColumnPlace : u8 {
  None,    // part of another column, or printed elsewhere
  Thread,  // reused for the next line if it has the same thread and CPU
  Misc,
  TimeOfDay,
  Time,
  Period,
  Event,  // for samples that are single branches, followed by the branch's columns
  Trace,
  CallSite,
  Synthesized,
  Access,
  Cgroup,
  Code,
  Registers,
  Branches,
  Output,
  Instruction,
  BranchCode,
  Page,
  Cycles,  // the last one; the newline follows
  SourceText,
};

enum class ValueKind : u8 {
  None,
  Unsigned,
  Signed,
  Hex,
  PageSize,  // bytes
  Time,      // nanoseconds
  Text,
  // For machine formats only; each writer has special code for these.
  Code,   // the sampled address
  Stack,  // the call chain
  Trace,  // the fields of a tracepoint
};

// Columns of CSV and binary rows, in order. Programs rely on the order, so new fields are `Added` at the end.
enum class MachinePlace : u8 { None, Time, Event, Comm, Pid, Tid, Cpu, Period, Ip, Symbol, Dso, Stack, Trace, Added };

// A set of formats.
enum MachineFormat : u8 { kCsvFormat = 1, kJsonFormat = 2, kBinaryFormat = 4 };

struct MachineColumn {
  MachinePlace place = MachinePlace::None;
  std::string_view title = {};  // empty: the field's name
  u8 formats = kCsvFormat | kJsonFormat | kBinaryFormat;
  bool of_tracepoints = true;  // false: JSON and binary rows omit it from tracepoint samples
};

// What a requirement is checked against.
struct FieldCheck {
  u64 fields = 0;  // fields printed for the event's type
  const abi::EventAttr& attr;
  bool has_traces = false;  // some event records tracepoint data
  bool lenient = false;     // samples are decoded from a hardware trace
};

// What a field requires of its event. Rows with the same requirement are rejected together, in the name of the first
// one that was requested.
struct FieldNeed {
  // The order of checks (linux-perf's) decides which message is shown if several fields are missing.
  enum class Turn : u8 { Address, Symbol, Code, Last };
  u64 sample_bits = 0;              // at least one of them; 0: none needed
  std::string_view attribute = {};  // their name in the error message
  bool lenient = false;             // may be requested for events decoded from a trace
  Turn turn = Turn::Last;
  // Any other requirement: returns the message if the field cannot be printed, otherwise an empty text.
  std::string_view (*refusal)(const FieldCheck&) = nullptr;

  bool operator==(const FieldNeed&) const = default;
};

// Whether a field's text depends on earlier samples, so that one worker has to print all of them.
enum class InSequence : u8 { No, Branches, Always };

struct ScriptField {
  std::string_view name;
  FieldNeed needs = {};
  ScriptTypes defaults = 0;          // types of events that print it without -F
  ScriptTypes invalid = 0;           // types that cannot have it
  std::string_view shown_with = {};  // -F adds this field too, and drops the row if it is missing
  bool is_choice = true;             // false: -F with this field alone keeps the defaults
  bool reads_code = false;           // computed from instructions
  InSequence sequence = InSequence::No;
  ColumnPlace place = ColumnPlace::None;
  void (*start)(LineStart&) = nullptr;  // printer for columns before the time, which side-band records have as well
  void (*put)(SampleLine&) = nullptr;   // printer for the others; null: prints the value by its kind
  ValueKind kind = ValueKind::None;
  u64 (*number)(const abi::Sample&) = nullptr;
  FieldValue (*value)(FieldSource&) = nullptr;  // preferred to `number`
  MachineColumn machine = {};

  constexpr bool has_value() const { return number != nullptr || value != nullptr; }
};

}  // namespace peregrine
