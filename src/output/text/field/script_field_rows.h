// The table of all fields of `script -F`, and their bits in sets of fields.
//
// A number that samples record needs no row here: a row of abi/recorded_field.h makes it a field, printed by its kind.
// Rows that begin with recorded() add to such a row where linux-perf prints the field and who prints it by default. Any
// other field needs a row here; if it is more than one value, also the declaration of its printer below, and a file for
// the printer. Constants in script_field name the rows that other code refers to.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"
#include "base/types.h"
#include "output/text/field/field_value.h"
#include "output/text/field/script_field.h"

namespace peregrine {

// Printers. Before each call, out has space for kFieldRoom bytes.
namespace field_text {
void comm(LineStart& line);  // start_fields.cc
void thread(LineStart& line);
void cpu(LineStart& line);
void mode(LineStart& line);
void time_of_day(LineStart& line);
void time(LineStart& line);
void period(SampleLine& line);  // sample_fields.cc
void event(SampleLine& line);
void trace(SampleLine& line);
void call_site(SampleLine& line);
void synthesized(SampleLine& line);
void address(SampleLine& line);
void data_source(SampleLine& line);
void cgroup(SampleLine& line);
void interrupt_registers(SampleLine& line);
void user_registers(SampleLine& line);
void bpf_output(SampleLine& line);
void instruction(SampleLine& line);
void branch_code(SampleLine& line);
void branch_counters(SampleLine& line);
void source_text(SampleLine& line);
void code(SampleLine& line);          // chain_fields.cc
void branches(SampleLine& line);      // script_branches.cc
void branch_flags(SampleLine& line);  // branch_record.cc
void traced_cycles(SampleLine& line);
}  // namespace field_text

// Requirements beyond sample bits: script_fields.cc.
namespace field_refusal {
std::string_view trace(const FieldCheck& check);
std::string_view symbol(const FieldCheck& check);
std::string_view symbol_offset(const FieldCheck& check);
std::string_view dso(const FieldCheck& check);
std::string_view source_line(const FieldCheck& check);
std::string_view branch_code(const FieldCheck& check);
std::string_view branch_counters(const FieldCheck& check);
}  // namespace field_refusal

namespace script_field_rows {

namespace bit = abi::sample_bit;
using Turn = FieldNeed::Turn;

inline constexpr ScriptTypes kTracepoints = types_of(ScriptType::Tracepoint);
inline constexpr ScriptTypes kRaw = types_of(ScriptType::Raw);
inline constexpr ScriptTypes kSynth = types_of(ScriptType::Synth);
// Tracepoints print their fields instead of the executed code.
inline constexpr ScriptTypes kWithCode = kAllTypes & ~kTracepoints;
inline constexpr ScriptTypes kSoftware = types_of(ScriptType::Software);

inline constexpr FieldNeed kSourceLine = {.turn = Turn::Code, .refusal = field_refusal::source_line};
inline constexpr FieldNeed kBranchCode = {.turn = Turn::Code, .refusal = field_refusal::branch_code};

constexpr ValueKind kind_of(abi::NumberKind kind) {
  switch (kind) {
    case abi::NumberKind::Unsigned:
      return ValueKind::Unsigned;
    case abi::NumberKind::Signed:
      return ValueKind::Signed;
    case abi::NumberKind::Hex:
      return ValueKind::Hex;
    case abi::NumberKind::PageSize:
      return ValueKind::PageSize;
    case abi::NumberKind::Time:
      return ValueKind::Time;
  }
  return ValueKind::None;
}

// `row`, with the name, the requirement and the value of a recorded field.
constexpr ScriptField with_number(const abi::RecordedField& field, ScriptField row) {
  row.name = field.name;
  row.needs.sample_bits = field.bits;
  row.needs.attribute = field.attribute;
  row.number = field.value;
  if (row.kind == ValueKind::None) row.kind = kind_of(field.kind);
  return row;
}
consteval ScriptField recorded(std::string_view name, ScriptField row) {
  for (const abi::RecordedField& field : abi::kRecordedFields)
    if (field.name == name) return with_number(field, row);
  throw "no recorded field has this name";
}

// The order is linux-perf's; messages list the names in this order.
inline constexpr ScriptField kListed[] = {
    {.name = "comm",
     .defaults = kAllTypes,
     .place = ColumnPlace::Thread,
     .start = field_text::comm,
     .kind = ValueKind::Text,
     .value = field_value::comm,
     .machine = {.place = MachinePlace::Comm, .formats = kCsvFormat | kJsonFormat}},
    recorded("tid", {.defaults = kAllTypes,
                     .place = ColumnPlace::Thread,
                     .start = field_text::thread,
                     .value = field_value::tid,
                     .machine = {.place = MachinePlace::Tid}}),
    recorded("pid", {.place = ColumnPlace::Thread,
                     .start = field_text::thread,
                     .value = field_value::pid,
                     .machine = {.place = MachinePlace::Pid}}),
    recorded("time", {.defaults = kAllTypes,
                      .place = ColumnPlace::Time,
                      .start = field_text::time,
                      .machine = {.place = MachinePlace::Time}}),
    recorded("cpu", {.needs = {.lenient = true},
                     .defaults = kAllTypes,
                     .place = ColumnPlace::Thread,
                     .start = field_text::cpu,
                     .machine = {.place = MachinePlace::Cpu}}),
    {.name = "event",
     .defaults = kAllTypes,
     .place = ColumnPlace::Event,
     .put = field_text::event,
     .kind = ValueKind::Text,
     .value = field_value::event,
     .machine = {.place = MachinePlace::Event, .formats = kCsvFormat | kJsonFormat}},
    {.name = "trace",
     .needs = {.turn = Turn::Address, .refusal = field_refusal::trace},
     .defaults = kTracepoints,
     .invalid = kAllTypes & ~kTracepoints,
     .place = ColumnPlace::Trace,
     .put = field_text::trace,
     .kind = ValueKind::Trace,
     .machine = {.place = MachinePlace::Trace, .formats = kCsvFormat}},
    recorded("ip", {.needs = {.turn = Turn::Address},
                    .defaults = kWithCode,
                    .place = ColumnPlace::Code,
                    .put = field_text::code,
                    .kind = ValueKind::Code,
                    .machine = {.place = MachinePlace::Ip, .formats = kCsvFormat | kBinaryFormat}}),
    {.name = "sym",
     .needs = {.turn = Turn::Symbol, .refusal = field_refusal::symbol},
     .defaults = kWithCode,
     .kind = ValueKind::Text,
     .value = field_value::symbol,
     .machine = {.place = MachinePlace::Symbol, .title = "symbol", .formats = kCsvFormat}},
    {.name = "dso",
     .needs = {.turn = Turn::Code, .refusal = field_refusal::dso},
     .defaults = kWithCode,
     .kind = ValueKind::Text,
     .value = field_value::dso,
     .machine = {.place = MachinePlace::Dso, .formats = kCsvFormat}},
    recorded("addr", {.needs = {.lenient = true, .turn = Turn::Address},
                      .defaults = kRaw,
                      .place = ColumnPlace::Access,
                      .put = field_text::address}),
    {.name = "symoff", .needs = {.turn = Turn::Symbol, .refusal = field_refusal::symbol_offset}, .defaults = kWithCode},
    {.name = "srcline", .needs = kSourceLine},
    {.name = "period",
     .defaults = kWithCode & ~kSynth,
     .place = ColumnPlace::Period,
     .put = field_text::period,
     .kind = ValueKind::Unsigned,
     .value = field_value::period,
     .machine = {.place = MachinePlace::Period, .of_tracepoints = false}},
    {.name = "iregs",
     .needs = {.sample_bits = bit::RegsIntr, .attribute = "IREGS", .lenient = true},
     .place = ColumnPlace::Registers,
     .put = field_text::interrupt_registers},
    {.name = "uregs",
     .needs = {.sample_bits = bit::RegsUser, .attribute = "UREGS"},
     .place = ColumnPlace::Registers,
     .put = field_text::user_registers},
    {.name = "brstack", .place = ColumnPlace::Branches, .put = field_text::branches},
    {.name = "brstacksym", .place = ColumnPlace::Branches, .put = field_text::branches},
    recorded("data_src", {.needs = {.lenient = true, .turn = Turn::Address},
                          .defaults = kRaw,
                          .sequence = InSequence::Always,
                          .place = ColumnPlace::Access,
                          .put = field_text::data_source}),
    recorded("weight",
             {.needs = {.lenient = true, .turn = Turn::Address}, .defaults = kRaw, .place = ColumnPlace::Access}),
    {.name = "bpf-output",
     .defaults = kSoftware,
     .invalid = kAllTypes & ~(kSoftware | kTracepoints),
     .place = ColumnPlace::Output,
     .put = field_text::bpf_output},
    {.name = "brstackinsn",
     .needs = kBranchCode,
     .reads_code = true,
     .place = ColumnPlace::BranchCode,
     .put = field_text::branch_code},
    {.name = "brstackinsnlen",
     .needs = kBranchCode,
     .reads_code = true,
     .place = ColumnPlace::BranchCode,
     .put = field_text::branch_code},
    {.name = "brstackoff", .place = ColumnPlace::Branches, .put = field_text::branches},
    {.name = "callindent", .sequence = InSequence::Branches},
    {.name = "insn", .reads_code = true, .place = ColumnPlace::Instruction, .put = field_text::instruction},
    {.name = "insnlen", .reads_code = true, .place = ColumnPlace::Instruction, .put = field_text::instruction},
    {.name = "synth", .defaults = kSynth, .place = ColumnPlace::Synthesized, .put = field_text::synthesized},
    recorded("phys_addr", {.defaults = kRaw, .place = ColumnPlace::Page}),
    {.name = "metric", .sequence = InSequence::Always},
    {.name = "misc", .place = ColumnPlace::Misc, .start = field_text::mode},
    {.name = "srccode",
     .needs = kSourceLine,
     .sequence = InSequence::Always,
     .place = ColumnPlace::SourceText,
     .put = field_text::source_text},
    {.name = "ipc", .place = ColumnPlace::Cycles, .put = field_text::traced_cycles},
    {.name = "tod", .place = ColumnPlace::TimeOfDay, .start = field_text::time_of_day},
    recorded("data_page_size", {.defaults = kRaw, .place = ColumnPlace::Page}),
    recorded("code_page_size", {.defaults = kRaw, .place = ColumnPlace::Page}),
    recorded("ins_lat", {.needs = {.lenient = true}, .defaults = kRaw, .place = ColumnPlace::Access}),
    {.name = "flags",
     .is_choice = false,
     .sequence = InSequence::Branches,
     .place = ColumnPlace::Event,
     .put = field_text::branch_flags},
    {.name = "machine_pid"},
    {.name = "vcpu"},
    {.name = "disasm", .reads_code = true, .place = ColumnPlace::Instruction, .put = field_text::instruction},
    {.name = "brstackdisasm",
     .needs = kBranchCode,
     .reads_code = true,
     .place = ColumnPlace::BranchCode,
     .put = field_text::branch_code},
    {.name = "dsoff", .shown_with = "dso"},
    recorded("cgroup", {.needs = {.lenient = true},
                        .sequence = InSequence::Always,
                        .place = ColumnPlace::Cgroup,
                        .put = field_text::cgroup}),
    recorded("retire_lat", {.needs = {.lenient = true}, .place = ColumnPlace::Access}),
    {.name = "callsite",
     .needs = {.sample_bits = bit::Callchain, .attribute = "CALLCHAIN", .lenient = true},
     .place = ColumnPlace::CallSite,
     .put = field_text::call_site},
    {.name = "brcntr",
     .needs = {.turn = Turn::Code, .refusal = field_refusal::branch_counters},
     .place = ColumnPlace::BranchCode,
     .put = field_text::branch_counters},
};

// The listed rows, and one for each recorded field that they do not name.
constexpr std::vector<ScriptField> all_rows(std::span<const abi::RecordedField> fields) {
  std::vector<ScriptField> rows(std::begin(kListed), std::end(kListed));
  for (const abi::RecordedField& field : fields) {
    bool is_listed = !field.is_printable;
    for (const ScriptField& row : kListed) is_listed |= row.name == field.name;
    if (!is_listed)
      rows.push_back(with_number(field, {.place = ColumnPlace::Page, .machine = {.place = MachinePlace::Added}}));
  }
  return rows;
}
inline constexpr auto kRows = [] {
  std::array<ScriptField, all_rows(abi::kRecordedFields).size()> rows;
  const std::vector<ScriptField> all = all_rows(abi::kRecordedFields);
  std::ranges::copy(all, rows.begin());
  return rows;
}();
static_assert(std::size(kRows) <= 64, "sets of fields are words of 64 bits");

// A row at a place of a line has a printer or a value, one at a place of a machine's row has a value, names are unique,
// and a field that is shown with another one names it.
consteval bool are_sound() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const ScriptField& row = kRows[i];
    const bool begins = row.place >= ColumnPlace::Thread && row.place <= ColumnPlace::Time;
    if (begins != (row.start != nullptr)) return false;
    if (row.place > ColumnPlace::Time && row.put == nullptr && !row.has_value()) return false;
    if (row.machine.place != MachinePlace::None && !row.has_value() && row.kind != ValueKind::Trace) return false;
    bool is_known = row.shown_with.empty();
    for (std::size_t k = 0; k < std::size(kRows); ++k) {
      if (k < i && kRows[k].name == row.name) return false;
      is_known |= kRows[k].name == row.shown_with;
    }
    if (!is_known) return false;
  }
  return true;
}
static_assert(are_sound());

consteval u64 bit_of(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].name == name) return u64{1} << i;
  throw "no row has this name";
}
consteval u64 code_fields() {
  u64 fields = 0;
  for (std::size_t i = 0; i < std::size(kRows); ++i) fields |= u64{kRows[i].reads_code} << i;
  return fields;
}

}  // namespace script_field_rows

inline constexpr std::span<const ScriptField> kScriptFields = script_field_rows::kRows;

// Bits of the rows that other code refers to.
namespace script_field {
using script_field_rows::bit_of;
inline constexpr u64 Comm = bit_of("comm"), Tid = bit_of("tid"), Pid = bit_of("pid"), Cpu = bit_of("cpu"),
                     Ip = bit_of("ip"), Sym = bit_of("sym"), Dso = bit_of("dso"), Addr = bit_of("addr"),
                     SymOff = bit_of("symoff"), SrcLine = bit_of("srcline"), Period = bit_of("period"),
                     BrStack = bit_of("brstack"), BrStackSym = bit_of("brstacksym"), BrStackOff = bit_of("brstackoff"),
                     BrStackInsn = bit_of("brstackinsn"), BrStackInsnLen = bit_of("brstackinsnlen"),
                     BrStackDisasm = bit_of("brstackdisasm"), CallIndent = bit_of("callindent"), Insn = bit_of("insn"),
                     InsnLen = bit_of("insnlen"), Disasm = bit_of("disasm"), Metric = bit_of("metric"),
                     SrcCode = bit_of("srccode"), Ipc = bit_of("ipc"), Tod = bit_of("tod"), Flags = bit_of("flags"),
                     DsoOff = bit_of("dsoff"), Cgroup = bit_of("cgroup"), BrCounters = bit_of("brcntr");
}  // namespace script_field

// Fields computed from instructions.
inline constexpr u64 kCodeFields = script_field_rows::code_fields();

}  // namespace peregrine
