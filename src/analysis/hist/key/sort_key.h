// Sort keys and metrics: the columns a histogram can have, as two tables, and the parser of --sort and -F lists.
//
// A key tells entries apart (comm, dso, symbol, …): its value comes from the sample's group or from a frame. A metric
// is a sum over entries (overhead, samples, …). A new key is one row of kKeys plus one case where its value is taken
// (cmd/report fills group values) and, if its look is new, one KeyLook.
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
  AccessParts,   // of no column: what the parts of breakdowns are sums by (access_parts.h)
  FirstDynamic,  // from here on: fields of tracepoints, by their number in DynamicKeys
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
  Frame,      // the frame hit: a callee's callers have values of their own
  DataFrame,  // a frame too (a parent, what the data address points at, a branch's end), kept in the group
};

enum class KeyLook : u8 {
  Text,        // left-aligned, padded to the column; of a data frame, its dso
  Trace,       // left-aligned; not padded where it ends the line
  ThreadComm,  // "  tid:comm"
  Symbol,      // "[k] name", or the address
  Name,        // the symbol alone, or "[other]"
  Number,      // right-aligned decimal
  Padded,      // "003", "-001" for unknown
  Left,        // left-aligned decimal
  Time,        // sec.usec
  Hex,         // 0x…, left-aligned
  Line,        // "main.c:12", or what stands for it
  SourceFile,  // "main.c", or nothing
  Place,       // "[k] name+0x12", or the address
  Dashed,      // left-aligned decimal, "-" for none
  Word,        // a text that stands for a number: ordered by the number
  Sum,         // left-aligned decimal: that of one sample, times the samples
  Field,       // a text that leans to the right: ordered by Naming::order, the largest first
  Size,        // right-aligned decimal: of a symbol
  DsoSize,     // the same of the largest map of a dso
};

struct SortKeySpec {
  SortKey key;
  std::string_view name;
  std::string_view header;
  KeySource source;
  KeyLook look;
  u8 width = 0;            // least width of the column; the header's own width counts too
  bool of_branch = false;  // only where branches are counted
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
  Latency,  // each sample's period divided by how many threads ran: what the row costs on the wall clock
  Weight1,  // the mean of the samples' weights: of the access, the instruction, the third that some processors have
  Weight2,
  Weight3,
  FirstAccessPart,  // from here on: parts of breakdowns, by their number (access_parts.h)
};

struct MetricSpec {
  Metric metric;
  std::string_view name;
  std::string_view header;
  bool percent;
  bool mean = false;  // of the samples, in tenths
};

// All dynamic keys have one spec, without a name and a header: those stand in FieldColumn.
const SortKeySpec& spec_of(SortKey key);
// Whether a group's value of the key is a text (Naming::text), not a number.
bool is_text(const SortKeySpec& spec);
const MetricSpec& spec_of(Metric metric);
std::span<const SortKeySpec> all_sort_keys();
std::span<const MetricSpec> all_metrics();  // but for the parts of breakdowns

// One column of a report: a metric or a key.
struct Column {
  bool is_metric = false;
  Metric metric = Metric::Overhead;
  SortKey key = SortKey::Comm;
  friend bool operator==(const Column&, const Column&) = default;
};
inline Column column_of(Metric metric) { return {.is_metric = true, .metric = metric}; }
inline Column column_of(SortKey key) { return {.key = key}; }

// A dynamic key's column.
struct FieldColumn {
  std::string name;
  unsigned width = 0;  // least width
  u32 event = 0;       // whose field it is: other events do not show it
};

// The keys that only a recording can name.
class DynamicKeys {
 public:
  virtual ~DynamicKeys() = default;
  // What the word stands for; none: it is no key.
  virtual std::vector<SortKey> find(std::string_view word) = 0;
  virtual std::vector<FieldColumn> columns() const = 0;
};

// What a report is laid out by.
struct Columns {
  std::vector<Column> shown;  // left to right
  std::vector<Column> order;  // rows are sorted by these, the most important first
  std::vector<SortKey> keys;  // what tells rows apart
  // The keys of -s as levels of a tree: each its own, but for "{braced,ones}".
  std::vector<std::vector<SortKey>> levels;
  std::vector<FieldColumn> fields;  // of the dynamic keys, by number
};

// What stands above a key's column, and how wide it is at least.
std::string_view header_of(const Columns& columns, SortKey key);
unsigned least_width(const Columns& columns, SortKey key);

struct ColumnRequest {
  std::optional<std::string> sort;    // -s; a leading '+' appends to the default
  std::optional<std::string> fields;  // -F
  std::string default_sort = "comm,dso,symbol";
  bool branches = false;  // branches are counted: their keys may be used
  bool children = false;
  bool latency = false;               // --latency
  bool show_samples = false;          // -n
  bool show_period = false;           // --show-total-period
  bool show_cpu_utilization = false;  // --showcpuutilization
  DynamicKeys* dynamic = nullptr;     // null: there are none
};

// Errors: Usage, "Unknown --sort key: `x'", with the nearest name as hint.
Result<Columns> parse_columns(const ColumnRequest& request);

}  // namespace peregrine
