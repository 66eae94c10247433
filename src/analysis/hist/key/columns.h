// Columns: which columns a report shows and in which order, parsed from --sort and -F.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// A report column: a metric or a key.
struct Column {
  bool is_metric = false;
  Metric metric = Metric::Overhead;
  SortKey key = SortKey::Comm;
  friend bool operator==(const Column&, const Column&) = default;
};
inline Column column_of(Metric metric) { return {.is_metric = true, .metric = metric}; }
inline Column column_of(SortKey key) { return {.key = key}; }

// The tracepoint field of a dynamic key.
struct FieldColumn {
  std::string name;
  u32 size = 0;  // bytes in a record
  bool is_string = false;
  u32 event = 0;            // index of its event; other events have no value
  bool is_located = false;  // its bytes (text with its NUL) are elsewhere in the record (__data_loc)
};

// Keys with names that depend on the recording.
class DynamicKeys {
 public:
  virtual ~DynamicKeys() = default;
  // The keys with that name; empty if unknown.
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

struct ColumnRequest {
  std::optional<std::string> sort;    // -s; a leading '+' extends the default
  std::optional<std::string> fields;  // -F
  std::string default_sort = "comm,dso,symbol";
  bool branches = false;  // count branches: enables their keys
  bool children = false;
  bool latency = false;                                 // --latency
  bool show_samples = false;                            // -n
  bool show_period = false;                             // --show-total-period
  bool show_cpu_utilization = false;                    // --showcpuutilization
  DynamicKeys* dynamic = nullptr;                       // null: none
  std::span<const SortKeySpec> keys = all_sort_keys();  // those that users can name
};

// Errors: Usage, "Unknown --sort key: `x'", with the nearest name as hint.
Result<Columns> parse_columns(const ColumnRequest& request);

// All names that the two lists accept: keys, metrics and breakdowns; for help and completion.
std::vector<std::string_view> column_words(std::span<const SortKeySpec> keys);
std::vector<std::string_view> column_words();  // of all keys

}  // namespace peregrine
