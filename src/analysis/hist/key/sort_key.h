// Sort keys: the values that distinguish the rows of a report (comm, dso, symbol, …), with one table row per key.
//
//   row of the table (sort_key_table.cc)
//     ├─ name ──▶ -s and -F (columns.h), help, completion, names in JSON and CSV
//     ├─ needs ─▶ what the session requests from the collector and the replay
//     ├─ value ─▶ HistCollector: a number for each sample, part of its group
//     ├─ text ──▶ MachineNaming: the text of that number
//     └─ kind ──▶ RowTable: the order of rows; outputs: typed values, and the look of the column
//
// A new key is a new row. It needs nothing else unless code must refer to it (the constants of SortKey), or its
// column must not look like others of its kind (output/text/report/key_look.cc).
#pragma once
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

class MachineNaming;
class SampleFacts;
struct SortKeySpec;

// A sort key: its row of the table. Rows outlive all keys; two keys are equal if they are the same row.
class SortKey {
 public:
  constexpr SortKey(const SortKeySpec& row) : row_(&row) {}
  SortKey(const SortKeySpec&&) = delete;  // temporaries would not outlive the key
  constexpr const SortKeySpec* operator->() const { return row_; }
  friend constexpr bool operator==(SortKey, SortKey) = default;

  // The keys that code refers to.
  static const SortKey Pid, Comm, Dso, Symbol, Parent, Cpu, Socket, LocalWeight, LocalLatency, LocalStage, Time, Trace,
      AddressFrom, AddressTo, Cycles, PhysicalAddress, Process, Parallelism;
  static const SortKey AccessParts;  // not a column: sums of breakdown parts are kept by this (access_parts.h)

 private:
  const SortKeySpec* row_;
};

enum class KeySource : u8 {
  Group,      // one value of the group
  Frame,      // the frame hit; a callee's callers have their own values
  DataFrame,  // also a frame (parent, target of the data address, branch end), but stored in the group
};

// What kind of value it is.
enum class KeyKind : u8 {
  // Values of groups.
  Text,       // the number of a text; sorted by the text
  Word,       // a number with a text; sorted by the number
  Field,      // the number of a text; sorted by Naming::order, largest first
  Thread,     // a tid or pid, shown with the comm of that thread or process
  Number,     // a number
  Processor,  // the number of a CPU or a socket; -1: unknown
  Counted,    // a number; 0: unknown
  Total,      // the value of one sample; a row shows it times its number of samples
  Time,       // ns
  Address,
  // Parts of the frame, where the frame is the value.
  Dso,         // its dso
  Symbol,      // its symbol, or the address
  SymbolName,  // its symbol, or nothing
  CodePlace,   // its symbol and the offset in it, or the address
  Line,        // its source line
  File,        // its source file
  SymbolSize,  // the size of its symbol
  DsoSize,     // the size of the largest map of its dso
};

// What must be collected or recorded for a key, beyond the sample itself.
enum class KeyNeed : u8 {
  Branches,        // branches are counted instead of samples
  Lines,           // the frame hit has its source line
  PlaceLines,      // branch ends have theirs
  PlaceAddresses,  // places in one function are distinguished
  Parallelism,     // the number of running threads
  DataTypes,       // types of accessed data
  Traces,          // texts of tracepoints
  Cgroups,         // CGROUP records
  Namespaces,      // NAMESPACES records
};
class KeyNeeds {
 public:
  constexpr KeyNeeds() = default;
  constexpr KeyNeeds(std::initializer_list<KeyNeed> needs) {
    for (const KeyNeed need : needs) bits_ |= bit(need);
  }
  constexpr bool has(KeyNeed need) const { return (bits_ & bit(need)) != 0; }
  constexpr void add(KeyNeeds other) { bits_ |= other.bits_; }
  constexpr bool operator==(const KeyNeeds&) const = default;

 private:
  static constexpr u32 bit(KeyNeed need) { return 1u << static_cast<unsigned>(need); }
  u32 bits_ = 0;
};
// The combined needs of the keys.
KeyNeeds needs_of(std::span<const SortKey> keys);

struct SortKeySpec {
  std::string_view name = {};
  KeySource source = KeySource::Group;
  KeyKind kind = KeyKind::Number;
  // The value of the sample or branch that is being counted; for a DataFrame, the HistFrameId. Null: the key is derived
  // from the frame hit.
  u64 (*value)(SampleFacts&) = nullptr;
  // The text of a value, if the kind has texts.
  std::string (*text)(const MachineNaming&, u64 value) = nullptr;
  KeyNeeds needs = {};
  bool descending = false;            // the largest value sorts first
  std::string_view value_name = {};   // in JSON and CSV; empty: the key's name
  std::string_view second_name = {};  // of the second value (a thread's comm, a symbol's level); empty: NAME_level
  int field = -1;                     // for a tracepoint field: its index in DynamicKeys
};

// Whether a group's value of the key has a text (Naming::text).
bool is_text(SortKey key);

// In linux-perf's order, which resolves abbreviations.
std::span<const SortKeySpec> all_sort_keys();

// Keys for tracepoint fields, which depend on the recording: numbered, one row per number, without a name (FieldColumn
// has the name).
inline constexpr std::size_t kMostDynamicKeys = 128;
inline bool is_dynamic(SortKey key) { return key->field >= 0; }
inline std::size_t dynamic_index(SortKey key) { return static_cast<std::size_t>(key->field); }
SortKey dynamic_key(std::size_t index);

}  // namespace peregrine
