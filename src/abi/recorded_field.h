// RecordedField: a field of a sample that is one number, as one row. Everything that lists such fields reads the rows:
//
//   row ──▶ abi                the words that end a sample: decoding, encoding, copies without addresses (`tail`)
//       ──▶ output/text/field  -F of `script`: text, CSV, JSON lines, binary rows, help, completion
//       ──▶ output/text/dump   -D
//       ──▶ output/ctf         `data convert --to-ctf`
//       ──▶ script             the dictionaries of Python's handlers, the packed words of Perl's
//
// Five of these formats are linux-perf's, each with its own order and its own selection, so a row states its turn in
// each. A new field needs none of that: by default it is the last one everywhere. --dlfilter is the exception, because
// its struct is a fixed ABI (include/perf/perf_dlfilter.h).
//
// The functions take rows, so that a test can pass a table with a field that no kernel records.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"

namespace peregrine::abi {

enum class NumberKind : u8 { Unsigned, Signed, Hex, PageSize, Time };

// Turns: the fields of a format are in ascending order; those with equal turns in the order of the table.
inline constexpr u8 kNever = 0;
inline constexpr u8 kAdded = 255;

struct InDictionary {
  // The counters that the sample read follow the fields up to this turn.
  static constexpr u8 kBeforeReading = 8;
  u8 turn = kAdded;
  std::string_view key = {};  // empty: the field's name
};
struct InDump {
  u8 turn = kAdded;
  std::string_view before = {};  // text before the number; a comma continues the line. Empty: "... NAME: "
  bool hexadecimal = false;
};
struct InCtf {
  u8 turn = kAdded;
  bool hexadecimal = false;
  u64 bits = 0;  // required instead of the field's
};

struct RecordedField {
  static constexpr u16 kNotPacked = 0xfffe, kAppended = 0xffff;

  std::string_view name;
  u64 bits = 0;                     // sample_bit values; samples with any of them have the field
  std::string_view attribute = {};  // their name in messages
  NumberKind kind = NumberKind::Unsigned;
  u8 width = 8;  // bytes
  u64 (*value)(const Sample& sample) = nullptr;
  u64 unrecorded = 0;  // what scripts see in samples without the field
  // Set if the field is a word after the registers, the part of a sample that new fields extend. The kernel writes
  // these words in the order of the table.
  u64 Sample::* tail = nullptr;
  bool is_address = false;   // copies without addresses have 0
  bool is_printable = true;  // by -F
  InDictionary dictionary = {};
  u16 packed_at = kAppended;  // byte offset
  InDump dump = {};
  InCtf ctf = {};

  bool is_in(const Sample& sample) const { return (sample.fields & bits) != 0; }
  u64 value_for_scripts(const Sample& sample) const {
    return unrecorded == 0 || is_in(sample) ? value(sample) : unrecorded;
  }
};

template <auto Member>
u64 sampled(const Sample& sample) {
  return static_cast<u64>(sample.*Member);
}

namespace recorded_field_rows {
namespace bit = sample_bit;
inline constexpr u64 kNoDataSource = 0x5080021;  // the kernel's value for "unknown"
inline constexpr InDictionary kNoDictionary{.turn = kNever};
inline constexpr InDump kNoDump{.turn = kNever};  // or part of the first line
inline constexpr InCtf kNoCtf{.turn = kNever};
inline constexpr u16 kNotPacked = RecordedField::kNotPacked;

// The order is the kernel's.
inline constexpr RecordedField kRows[] = {
    {.name = "ip",
     .bits = bit::Ip,
     .attribute = "IP",
     .kind = NumberKind::Hex,
     .value = sampled<&Sample::ip>,
     .dictionary = {.turn = 4},
     .packed_at = 0,
     .dump = kNoDump,
     .ctf = {.turn = 1, .hexadecimal = true}},
    {.name = "pid",
     .bits = bit::Tid,
     .attribute = "TID",
     .kind = NumberKind::Signed,
     .width = 4,
     .value = sampled<&Sample::pid>,
     .dictionary = {.turn = 1},
     .packed_at = 8,
     .dump = kNoDump,
     .ctf = {.turn = 3}},
    {.name = "tid",
     .bits = bit::Tid,
     .attribute = "TID",
     .kind = NumberKind::Signed,
     .width = 4,
     .value = sampled<&Sample::tid>,
     .dictionary = {.turn = 2},
     .packed_at = 12,
     .dump = kNoDump,
     .ctf = {.turn = 2}},
    {.name = "time",
     .bits = bit::Time,
     .attribute = "TIME",
     .kind = NumberKind::Time,
     .value = sampled<&Sample::time>,
     .unrecorded = ~u64{0},
     .dictionary = {.turn = 5},
     .packed_at = 16,
     .dump = kNoDump,
     .ctf = kNoCtf},
    {.name = "addr",
     .bits = bit::Addr,
     .attribute = "ADDR",
     .kind = NumberKind::Hex,
     .value = sampled<&Sample::addr>,
     .dictionary = {.turn = 8},
     .packed_at = 24,
     .dump = kNoDump,
     .ctf = kNoCtf},
    {.name = "id",
     .bits = bit::Id | bit::Identifier,
     .attribute = "ID",
     .value = sampled<&Sample::id>,
     .is_printable = false,
     .dictionary = kNoDictionary,
     .packed_at = 32,
     .dump = kNoDump,
     .ctf = {.turn = 4}},
    {.name = "stream_id",
     .bits = bit::StreamId,
     .attribute = "STREAM_ID",
     .value = sampled<&Sample::stream_id>,
     .unrecorded = ~u64{0},
     .is_printable = false,
     .dictionary = kNoDictionary,
     .packed_at = 40,
     .dump = kNoDump,
     .ctf = {.turn = 5}},
    {.name = "cpu",
     .bits = bit::Cpu,
     .attribute = "CPU",
     .width = 4,
     .value = sampled<&Sample::cpu>,
     .unrecorded = ~u32{0},
     .dictionary = {.turn = 3},
     .packed_at = 88,
     .dump = kNoDump,
     .ctf = kNoCtf},
    {.name = "period",
     .bits = bit::Period,
     .attribute = "PERIOD",
     .value = sampled<&Sample::period>,
     .dictionary = {.turn = 6},
     .packed_at = 48,
     .dump = kNoDump,
     .ctf = {.turn = 6}},
    {.name = "weight",
     .bits = bit::Weight | bit::WeightStruct,
     .attribute = "WEIGHT",
     .value = sampled<&Sample::weight>,
     .dictionary = {.turn = 9},
     .packed_at = 56,
     .dump = {.turn = 1, .before = "... weight: "},
     .ctf = {.turn = 7, .bits = bit::Weight}},
    {.name = "ins_lat",
     .bits = bit::WeightStruct,
     .attribute = "WEIGHT_STRUCT",
     .width = 2,
     .value = sampled<&Sample::weight2>,
     .dictionary = kNoDictionary,
     .packed_at = kNotPacked,
     .dump = {.turn = 2, .before = ",0x", .hexadecimal = true},
     .ctf = kNoCtf},
    {.name = "retire_lat",
     .bits = bit::WeightStruct,
     .attribute = "WEIGHT_STRUCT",
     .width = 2,
     .value = sampled<&Sample::weight3>,
     .dictionary = kNoDictionary,
     .packed_at = kNotPacked,
     .dump = {.turn = 3, .before = ",0x", .hexadecimal = true},
     .ctf = kNoCtf},
    {.name = "data_src",
     .bits = bit::DataSrc,
     .attribute = "DATA_SRC",
     .value = sampled<&Sample::data_src>,
     .unrecorded = kNoDataSource,
     .dictionary = {.turn = 11, .key = "datasrc"},
     .packed_at = 96,
     .dump = {.turn = 4, .before = " . data_src: 0x", .hexadecimal = true},
     .ctf = {.turn = 8}},
    {.name = "transaction",
     .bits = bit::Transaction,
     .attribute = "TRANSACTION",
     .kind = NumberKind::Hex,
     .value = sampled<&Sample::transaction>,
     .is_printable = false,
     .dictionary = {.turn = 10},
     .packed_at = 64,
     .dump = {.turn = 8, .before = "... transaction: "},
     .ctf = {.turn = 9}},
    {.name = "phys_addr",
     .bits = bit::PhysAddr,
     .attribute = "PHYS_ADDR",
     .kind = NumberKind::Hex,
     .value = sampled<&Sample::phys_addr>,
     .tail = &Sample::phys_addr,
     .is_address = true,
     .dictionary = {.turn = 7},
     .packed_at = 104,
     .dump = {.turn = 5, .before = " .. phys_addr: 0x"},
     .ctf = kNoCtf},
    {.name = "cgroup",
     .bits = bit::Cgroup,
     .attribute = "CGROUP",
     .value = sampled<&Sample::cgroup>,
     .tail = &Sample::cgroup,
     .dictionary = kNoDictionary,
     .packed_at = kNotPacked,
     .dump = kNoDump,
     .ctf = kNoCtf},
    {.name = "data_page_size",
     .bits = bit::DataPageSize,
     .attribute = "DATA_PAGE_SIZE",
     .kind = NumberKind::PageSize,
     .value = sampled<&Sample::data_page_size>,
     .tail = &Sample::data_page_size,
     .dictionary = kNoDictionary,
     .packed_at = kNotPacked,
     .dump = {.turn = 6, .before = " .. data page size: "},
     .ctf = kNoCtf},
    {.name = "code_page_size",
     .bits = bit::CodePageSize,
     .attribute = "CODE_PAGE_SIZE",
     .kind = NumberKind::PageSize,
     .value = sampled<&Sample::code_page_size>,
     .tail = &Sample::code_page_size,
     .dictionary = kNoDictionary,
     .packed_at = kNotPacked,
     .dump = {.turn = 7, .before = " .. code page size: "},
     .ctf = kNoCtf},
};
}  // namespace recorded_field_rows

inline constexpr std::span<const RecordedField> kRecordedFields = recorded_field_rows::kRows;

// The fields of a format in its order: in_turn<&RecordedField::dump>(rows). The rows must outlive the result.
template <auto Format>
std::vector<const RecordedField*> in_turn(std::span<const RecordedField> rows = kRecordedFields) {
  std::vector<const RecordedField*> fields;
  for (const RecordedField& row : rows)
    if ((row.*Format).turn != kNever) fields.push_back(&row);
  std::ranges::stable_sort(fields, {}, [](const RecordedField* field) { return (field->*Format).turn; });
  return fields;
}

// The words that end a sample, in the kernel's order.
inline constexpr auto kTailFields = [] {
  constexpr auto has_tail = [](const RecordedField& row) { return row.tail != nullptr; };
  std::array<const RecordedField*, std::ranges::count_if(kRecordedFields, has_tail)> fields{};
  auto next = fields.begin();
  for (const RecordedField& row : kRecordedFields)
    if (has_tail(row)) *next++ = &row;
  return fields;
}();
consteval u64 tail_bits() {
  u64 bits = 0;
  for (const RecordedField* row : kTailFields) bits |= row->bits;
  return bits;
}

}  // namespace peregrine::abi
