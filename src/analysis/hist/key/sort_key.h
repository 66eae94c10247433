// Sort keys and metrics: the possible columns of a histogram as two tables, and the parser of --sort and -F.
//
// A key distinguishes entries (comm, dso, symbol, …); its value comes from the sample's group or from a frame. A metric
// is a sum over entries (overhead, samples, …). A new key needs a row in kKeys, a case where its value is computed
// (cmd/report fills group values) and, for a new format, a KeyLook.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class SortKey : u8 {
  Pid,
  Comm,
  Dso,
  Symbol,
  Parent,
  Cpu,
  Socket,
  LocalWeight,
  Weight,
  Time,
  Address,
  SymbolDaddr,
  DsoDaddr,
  SourceLine,
  SourceFile,
  DsoFrom,
  DsoTo,
  SymbolFrom,
  SymbolTo,
  Mispredict,
  Abort,
  InTransaction,
  Cycles,
  LineFrom,
  LineTo,
  AddressFrom,
  AddressTo,
  Memory,
  Snoop,
  Tlb,
  Locked,
  Blocked,
  DataLine,
  SymbolIaddr,
  PhysicalAddress,
  DataPageSize,
  CodePageSize,
  LocalLatency,
  Latency,
  LocalStage,
  Stage,
  Trace,
  TransactionFlags,
  Cgroup,
  CommWithoutDigits,
  Process,
  SymbolSize,
  SymbolOffset,
  Parallelism,
  LocalRetirement,
  Retirement,
  DsoSize,
  CgroupId,
  Simd,
  DataType,
  DataTypeOffset,
  DataTypeLine,
  CallSite,
  AccessParts,   // not a column: the sums of breakdown parts are by this (access_parts.h)
  FirstDynamic,  // from here on: tracepoint fields, by index in DynamicKeys
};
inline constexpr std::size_t kMostDynamicKeys = 128;
constexpr bool is_data_type(SortKey key) {
  return key == SortKey::DataType || key == SortKey::DataTypeOffset || key == SortKey::DataTypeLine;
}
constexpr bool is_dynamic(SortKey key) { return key >= SortKey::FirstDynamic; }
constexpr SortKey dynamic_key(std::size_t index) {
  return static_cast<SortKey>(static_cast<std::size_t>(SortKey::FirstDynamic) + index);
}
constexpr std::size_t dynamic_index(SortKey key) {
  return static_cast<std::size_t>(key) - static_cast<std::size_t>(SortKey::FirstDynamic);
}

enum class KeySource : u8 {
  Group,      // one value of the group
  Frame,      // the frame hit; a callee's callers have their own values
  DataFrame,  // also a frame (parent, target of the data address, branch end), but stored in the group
};

enum class KeyLook : u8 {
  Text,        // left-aligned, padded to the column; for a data frame, its dso
  Trace,       // left-aligned; not padded at the end of a line
  ThreadComm,  // "  tid:comm"
  Symbol,      // "[k] name", or the address
  Name,        // the symbol alone, or "[other]"
  Number,      // right-aligned decimal
  Padded,      // "003", "-001" for unknown
  Left,        // left-aligned decimal
  Time,        // sec.usec
  Hex,         // 0x…, left-aligned
  Line,        // "main.c:12", or a placeholder
  SourceFile,  // "main.c", or nothing
  Place,       // "[k] name+0x12", or the address
  Dashed,      // left-aligned decimal, "-" for none
  Word,        // a text for a number: sorted by the number
  Sum,         // left-aligned decimal: the value of one sample times the number of samples
  Field,       // right-aligned text, sorted by Naming::order, largest first
  Size,        // right-aligned decimal: a symbol's size
  DsoSize,     // the same for the largest map of a dso
};

struct SortKeySpec {
  SortKey key;
  std::string_view name;
  std::string_view header;
  KeySource source;
  KeyLook look;
  u8 width = 0;            // minimum width; the header may be wider
  bool of_branch = false;  // only if branches are counted
};

enum class Metric : u8 {
  Overhead,
  OverheadSys,
  OverheadUser,
  OverheadGuestSys,
  OverheadGuestUser,
  OverheadChildren,
  Samples,
  Period,
  Latency,  // each sample's period divided by the number of running threads: the row's cost in wall-clock time
  Weight1,  // mean weights of the samples: access latency, instruction latency, and a third on some processors
  Weight2,
  Weight3,
  FirstAccessPart,  // from here on: parts of breakdowns, by index (access_parts.h)
};

struct MetricSpec {
  Metric metric;
  std::string_view name;
  std::string_view header;
  bool percent;
  bool mean = false;  // of the samples, in tenths
};

// All dynamic keys share one spec without name and header, which are in FieldColumn.
const SortKeySpec& spec_of(SortKey key);
// Whether a group's value of the key is a text (Naming::text) rather than a number.
bool is_text(const SortKeySpec& spec);
const MetricSpec& spec_of(Metric metric);
std::span<const SortKeySpec> all_sort_keys();
std::span<const MetricSpec> all_metrics();  // without the parts of breakdowns

// A report column: a metric or a key.
struct Column {
  bool is_metric = false;
  Metric metric = Metric::Overhead;
  SortKey key = SortKey::Comm;
  friend bool operator==(const Column&, const Column&) = default;
};
inline Column column_of(Metric metric) { return {.is_metric = true, .metric = metric}; }
inline Column column_of(SortKey key) { return {.key = key}; }

// The column of a dynamic key.
struct FieldColumn {
  std::string name;
  unsigned width = 0;  // minimum width
  u32 event = 0;       // index of its event; other events have no value
};

// Keys whose names depend on the recording.
class DynamicKeys {
 public:
  virtual ~DynamicKeys() = default;
  // The keys for that name; empty if none.
  virtual std::vector<SortKey> find(std::string_view word) = 0;
  virtual std::vector<FieldColumn> columns() const = 0;
};

// The layout of a report.
struct Columns {
  std::vector<Column> shown;  // left to right
  std::vector<Column> order;  // sort order of rows, most significant first
  std::vector<SortKey> keys;  // keys that distinguish rows
  // The keys of -s as levels of a tree: one each, except "{braced,ones}".
  std::vector<std::vector<SortKey>> levels;
  std::vector<FieldColumn> fields;  // of the dynamic keys, by index
};

// The header of a key's column, and its minimum width.
std::string_view header_of(const Columns& columns, SortKey key);
unsigned least_width(const Columns& columns, SortKey key);

struct ColumnRequest {
  std::optional<std::string> sort;    // -s; a leading '+' extends the default
  std::optional<std::string> fields;  // -F
  std::string default_sort = "comm,dso,symbol";
  bool branches = false;  // count branches: enables their keys
  bool children = false;
  bool latency = false;               // --latency
  bool show_samples = false;          // -n
  bool show_period = false;           // --show-total-period
  bool show_cpu_utilization = false;  // --showcpuutilization
  DynamicKeys* dynamic = nullptr;     // null: none
};

// Errors: Usage, "Unknown --sort key: `x'", with the nearest name as hint.
Result<Columns> parse_columns(const ColumnRequest& request);

}  // namespace peregrine
