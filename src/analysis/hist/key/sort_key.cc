#include "analysis/hist/key/sort_key.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "analysis/hist/key/access_parts.h"
#include "base/nearest.h"
#include "base/text/ascii.h"

namespace peregrine {
namespace {

// In linux-perf's order, which resolves abbreviations: "c" is comm.
constexpr std::array kKeys{
    SortKeySpec{SortKey::Pid, "pid", "    Pid:Command", KeySource::Group, KeyLook::ThreadComm},
    SortKeySpec{SortKey::Comm, "comm", "Command", KeySource::Group, KeyLook::Text},
    SortKeySpec{SortKey::Dso, "dso", "Shared Object", KeySource::Frame, KeyLook::Text},
    SortKeySpec{SortKey::Symbol, "symbol", "Symbol", KeySource::Frame, KeyLook::Symbol},
    SortKeySpec{SortKey::Parent, "parent", "Parent symbol", KeySource::DataFrame, KeyLook::Name},
    SortKeySpec{SortKey::Cpu, "cpu", "CPU", KeySource::Group, KeyLook::Padded},
    SortKeySpec{SortKey::Socket, "socket", "Socket", KeySource::Group, KeyLook::Padded},
    SortKeySpec{SortKey::SourceLine, "srcline", "Source:Line", KeySource::Frame, KeyLook::Line},
    SortKeySpec{SortKey::SourceFile, "srcfile", "Source File", KeySource::Frame, KeyLook::SourceFile},
    SortKeySpec{SortKey::LocalWeight, "local_weight", "Local Weight", KeySource::Group, KeyLook::Left},
    SortKeySpec{SortKey::Weight, "weight", "Weight", KeySource::Group, KeyLook::Sum, 12},
    SortKeySpec{SortKey::TransactionFlags, "transaction", "Transaction", KeySource::Group, KeyLook::Word, 27},
    SortKeySpec{SortKey::Trace, "trace", "Trace output", KeySource::Group, KeyLook::Trace},
    SortKeySpec{SortKey::SymbolSize, "symbol_size", "Symbol size", KeySource::Frame, KeyLook::Size},
    SortKeySpec{SortKey::DsoSize, "dso_size", "DSO size", KeySource::Frame, KeyLook::DsoSize},
    SortKeySpec{SortKey::Cgroup, "cgroup", "Cgroup", KeySource::Group, KeyLook::Trace},
    SortKeySpec{SortKey::CgroupId, "cgroup_id", "cgroup id (dev/inode)", KeySource::Group, KeyLook::Trace},
    SortKeySpec{SortKey::Time, "time", "Time", KeySource::Group, KeyLook::Time, 12},
    SortKeySpec{SortKey::CodePageSize, "code_page_size", "Code Page Size", KeySource::Group, KeyLook::Word},
    SortKeySpec{SortKey::LocalLatency, "local_ins_lat", "Local INSTR Latency", KeySource::Group, KeyLook::Left},
    SortKeySpec{SortKey::Latency, "ins_lat", "INSTR Latency", KeySource::Group, KeyLook::Sum},
    SortKeySpec{SortKey::LocalStage, "local_p_stage_cyc", "Local Pipeline Stage Cycle", KeySource::Group,
                KeyLook::Left},
    SortKeySpec{SortKey::Stage, "p_stage_cyc", "Pipeline Stage Cycle", KeySource::Group, KeyLook::Left},
    SortKeySpec{SortKey::Address, "addr", "Address", KeySource::Group, KeyLook::Hex, 18},
    SortKeySpec{SortKey::DsoFrom, "dso_from", "Source Shared Object", KeySource::DataFrame, KeyLook::Text, 0, true},
    SortKeySpec{SortKey::DsoTo, "dso_to", "Target Shared Object", KeySource::DataFrame, KeyLook::Text, 0, true},
    SortKeySpec{SortKey::SymbolFrom, "symbol_from", "Source Symbol", KeySource::DataFrame, KeyLook::Symbol, 0, true},
    SortKeySpec{SortKey::SymbolTo, "symbol_to", "Target Symbol", KeySource::DataFrame, KeyLook::Symbol, 0, true},
    SortKeySpec{SortKey::Mispredict, "mispredict", "Branch Mispredicted", KeySource::Group, KeyLook::Text, 0, true},
    SortKeySpec{SortKey::Abort, "abort", "Transaction abort", KeySource::Group, KeyLook::Text, 0, true},
    SortKeySpec{SortKey::InTransaction, "in_tx", "Branch in transaction", KeySource::Group, KeyLook::Text, 0, true},
    SortKeySpec{SortKey::Cycles, "cycles", "Basic Block Cycles", KeySource::Group, KeyLook::Dashed, 0, true},
    SortKeySpec{SortKey::LineFrom, "srcline_from", "From Source:Line", KeySource::DataFrame, KeyLook::Line, 0, true},
    SortKeySpec{SortKey::LineTo, "srcline_to", "To Source:Line", KeySource::DataFrame, KeyLook::Line, 0, true},
    SortKeySpec{SortKey::AddressFrom, "addr_from", "Source Address", KeySource::DataFrame, KeyLook::Place, 0, true},
    SortKeySpec{SortKey::AddressTo, "addr_to", "Target Address", KeySource::DataFrame, KeyLook::Place, 0, true},
    SortKeySpec{SortKey::SymbolDaddr, "symbol_daddr", "Data Symbol", KeySource::DataFrame, KeyLook::Place},
    SortKeySpec{SortKey::DsoDaddr, "dso_daddr", "Data Object", KeySource::DataFrame, KeyLook::Text},
    SortKeySpec{SortKey::Locked, "locked", "Locked", KeySource::Group, KeyLook::Word},
    SortKeySpec{SortKey::Tlb, "tlb", "TLB access", KeySource::Group, KeyLook::Word, 22},
    SortKeySpec{SortKey::Memory, "mem", "Memory access", KeySource::Group, KeyLook::Word, 24},
    SortKeySpec{SortKey::Snoop, "snoop", "Snoop", KeySource::Group, KeyLook::Word, 12},
    SortKeySpec{SortKey::DataLine, "dcacheline", "Data Cacheline", KeySource::DataFrame, KeyLook::Place},
    SortKeySpec{SortKey::SymbolIaddr, "symbol_iaddr", "Code Symbol", KeySource::DataFrame, KeyLook::Symbol},
    SortKeySpec{SortKey::PhysicalAddress, "phys_daddr", "Data Physical Address", KeySource::Group, KeyLook::Hex, 22},
    SortKeySpec{SortKey::DataPageSize, "data_page_size", "Data Page Size", KeySource::Group, KeyLook::Word},
    SortKeySpec{SortKey::Blocked, "blocked", "Blocked", KeySource::Group, KeyLook::Word, 10},
    // Added in later releases.
    SortKeySpec{SortKey::SymbolOffset, "symoff", "Symbol Offset", KeySource::DataFrame, KeyLook::Place},
    SortKeySpec{SortKey::Parallelism, "parallelism", "Parallelism", KeySource::Group, KeyLook::Number},
    SortKeySpec{SortKey::LocalRetirement, "local_retire_lat", "Local Retire Latency", KeySource::Group, KeyLook::Left},
    SortKeySpec{SortKey::Retirement, "retire_lat", "Retire Latency", KeySource::Group, KeyLook::Sum},
    SortKeySpec{SortKey::CommWithoutDigits, "comm_nodigit", "CommandNoDigit", KeySource::Group, KeyLook::Text},
    SortKeySpec{SortKey::Process, "tgid", "   Tgid:Command", KeySource::Group, KeyLook::ThreadComm},
    SortKeySpec{SortKey::Simd, "simd", "Simd", KeySource::Group, KeyLook::Text, 7},
    SortKeySpec{SortKey::DataType, "type", "Data Type", KeySource::Group, KeyLook::Text},
    SortKeySpec{SortKey::DataTypeOffset, "typeoff", "Data Type Offset", KeySource::Group, KeyLook::Text},
    SortKeySpec{SortKey::DataTypeLine, "typecln", "Data Type Cacheline", KeySource::Group, KeyLook::Text},
    // Not in linux-perf.
    SortKeySpec{SortKey::CallSite, "callsite", "Call Site", KeySource::DataFrame, KeyLook::Symbol},
};

constexpr SortKeySpec kDynamic{SortKey::FirstDynamic, "", "", KeySource::Group, KeyLook::Field};
constexpr SortKeySpec kAccessPartsKey{SortKey::AccessParts, "", "", KeySource::Group, KeyLook::Number};

constexpr std::array kMetrics{
    MetricSpec{Metric::Overhead, "overhead", "Overhead", true},
    MetricSpec{Metric::OverheadSys, "overhead_sys", "sys", true},
    MetricSpec{Metric::OverheadUser, "overhead_us", "usr", true},
    MetricSpec{Metric::OverheadGuestSys, "overhead_guest_sys", "guest sys", true},
    MetricSpec{Metric::OverheadGuestUser, "overhead_guest_us", "guest usr", true},
    MetricSpec{Metric::OverheadChildren, "overhead_children", "Children", true},
    MetricSpec{Metric::Samples, "sample", "Samples", false},
    MetricSpec{Metric::Period, "period", "Period", false},
    MetricSpec{Metric::Latency, "latency", "Latency", true},
    MetricSpec{Metric::Weight1, "weight1", "Weight1", false, true},
    MetricSpec{Metric::Weight2, "weight2", "Weight2", false, true},
    MetricSpec{Metric::Weight3, "weight3", "Weight3", false, true},
};

// linux-perf lists these among its keys, but rejects them.
constexpr std::array<std::string_view, 2> kColumnsOfItsOwn{"ipc_null", "ipc_lbr"};

bool abbreviates(std::string_view token, std::string_view name) {
  return token.size() <= name.size() && std::ranges::equal(token, name.substr(0, token.size()), {}, to_lower, to_lower);
}

std::string nearest_name(std::string_view token) {
  std::vector<std::string_view> names;
  for (const SortKeySpec& spec : kKeys) names.push_back(spec.name);
  for (const MetricSpec& spec : kMetrics) names.push_back(spec.name);
  for (const Breakdown& each : all_breakdowns()) names.push_back(each.name);
  const auto best = nearest(token, names);
  return best ? fmt::format("did you mean `{}'?", *best) : "`report -h sort` lists the keys";
}

// Keys take precedence over metrics: "s" is symbol, not sample.
std::optional<Column> find_column(std::string_view token) {
  for (const SortKeySpec& spec : kKeys)
    if (abbreviates(token, spec.name)) return column_of(spec.key);
  for (const MetricSpec& spec : kMetrics)
    if (abbreviates(token, spec.name)) return column_of(spec.metric);
  return std::nullopt;
}

// The parts of the breakdown with that name; empty if there is no such breakdown.
std::vector<Column> parts_named(std::string_view token) {
  std::vector<Column> parts;
  for (const Breakdown& each : all_breakdowns())
    for (std::size_t at = 0; each.name == token && at < each.count; ++at)
      parts.push_back(column_of(access_part(each.first + at)));
  return parts;
}

constexpr std::string_view kFields = "--fields";

// "snoop" is also a sort key. In a field list it means the breakdown only if the list has another breakdown.
bool breaks_down(std::string_view list) {
  for (const Breakdown& each : all_breakdowns()) {
    if (find_column(each.name)) continue;
    for (const auto word : std::views::split(list, ','))
      if (std::string_view(word.begin(), word.end()) == each.name) return true;
  }
  return false;
}

// Parses one list item: a column, a breakdown (several columns) or tracepoint fields. Errors: Usage.
Result<std::vector<Column>> parse_word(std::string_view token, std::string_view option, const ColumnRequest& request) {
  const std::optional<Column> column = find_column(token);
  if (column) {
    if (column->is_metric || !spec_of(column->key).of_branch || request.branches) return std::vector{*column};
    auto error = fail(ErrorKind::Usage, "Invalid {} key: `{}'", option, token);
    error.error().hint = "it is one of branches, and samples are counted: record with -b, report with -b";
    return error;
  }
  std::vector<Column> fields = parts_named(token);
  if (fields.empty() && request.dynamic != nullptr)
    for (const SortKey key : request.dynamic->find(token)) fields.push_back(column_of(key));
  if (!fields.empty()) return fields;
  auto error = fail(ErrorKind::Usage, "Unknown {} key: `{}'", option, token);
  const bool own_column = std::ranges::find(kColumnsOfItsOwn, token) != kColumnsOfItsOwn.end();
  error.error().hint = own_column ? "no key: `report --total-cycles` shows the cycles of code" : nearest_name(token);
  return error;
}

// The distinct columns of a list, and the hierarchy levels that its keys form; `{a,b}` puts keys on one level.
class ColumnList {
 public:
  Result<> parse(std::string_view list, std::string_view option, const ColumnRequest& request);
  std::vector<Column> columns;
  std::vector<std::vector<SortKey>> levels;

 private:
  void add(Column column);
  bool joins_ = false;  // the next key belongs to the last level
};

void ColumnList::add(Column column) {
  if (std::ranges::find(columns, column) != columns.end()) return;
  columns.push_back(column);
  if (column.is_metric) return;
  if (!joins_) levels.emplace_back();
  levels.back().push_back(column.key);
}

Result<> ColumnList::parse(std::string_view list, std::string_view option, const ColumnRequest& request) {
  bool braced = false;
  const bool broken_down = option == kFields && breaks_down(list);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find_first_of(", {}", at), list.size());
    const std::string_view token = list.substr(at, end - at);
    if (!token.empty()) {
      std::vector<Column> parts = broken_down ? parts_named(token) : std::vector<Column>();
      const auto parsed = parts.empty() ? parse_word(token, option, request) : std::move(parts);
      if (!parsed) return std::unexpected(parsed.error());
      for (const Column& column : *parsed) {
        const std::size_t before = levels.size();
        add(column);
        joins_ = braced && (joins_ || levels.size() > before);
      }
    }
    if (end < list.size() && list[end] != ',' && list[end] != ' ') {
      braced = list[end] == '{';
      joins_ = false;
    }
    at = end + 1;
  }
  return {};
}

void add_once(std::vector<Column>& to, Column column) {
  if (std::ranges::find(to, column) == to.end()) to.push_back(column);
}

std::vector<Column> standing_metrics(const ColumnRequest& request) {
  std::vector<Column> result;
  if (request.latency) result.push_back(column_of(Metric::Latency));
  if (request.children) result.push_back(column_of(Metric::OverheadChildren));
  result.push_back(column_of(Metric::Overhead));
  if (request.show_cpu_utilization)
    for (const Metric metric : {Metric::OverheadSys, Metric::OverheadUser}) result.push_back(column_of(metric));
  if (request.show_samples) result.push_back(column_of(Metric::Samples));
  if (request.show_period) result.push_back(column_of(Metric::Period));
  return result;
}

}  // namespace

// Called for each row, so it must not search.
const SortKeySpec& spec_of(SortKey key) {
  static constexpr auto kPlaces = [] {
    std::array<u8, 256> places{};
    for (std::size_t at = 0; at < kKeys.size(); ++at) places[static_cast<u8>(kKeys[at].key)] = static_cast<u8>(at);
    return places;
  }();
  if (key == SortKey::AccessParts) return kAccessPartsKey;
  return is_dynamic(key) ? kDynamic : kKeys[kPlaces[static_cast<u8>(key)]];
}
std::string_view header_of(const Columns& columns, SortKey key) {
  return is_dynamic(key) ? std::string_view(columns.fields[dynamic_index(key)].name) : spec_of(key).header;
}
unsigned least_width(const Columns& columns, SortKey key) {
  return std::max(is_dynamic(key) ? columns.fields[dynamic_index(key)].width : spec_of(key).width,
                  static_cast<unsigned>(header_of(columns, key).size()));
}
const MetricSpec& spec_of(Metric metric) {
  if (is_access_part(metric)) return access_part_spec(access_part_index(metric));
  return *std::ranges::find(kMetrics, metric, &MetricSpec::metric);
}
bool is_text(const SortKeySpec& spec) {
  return spec.source == KeySource::Group &&
         (spec.look == KeyLook::Text || spec.look == KeyLook::Trace || spec.look == KeyLook::Field ||
          spec.look == KeyLook::Word || spec.look == KeyLook::ThreadComm);
}
std::span<const SortKeySpec> all_sort_keys() { return kKeys; }
std::span<const MetricSpec> all_metrics() { return kMetrics; }

Result<Columns> parse_columns(const ColumnRequest& request) {
  Columns result;
  ColumnList sorted_list, shown_list;
  const bool strict = request.fields && !request.fields->starts_with('+');
  if (request.sort || !strict) {
    std::string list = request.default_sort;
    if (request.sort) list = request.sort->starts_with('+') ? list + "," + request.sort->substr(1) : *request.sort;
    PEREGRINE_TRY(sorted_list.parse(list, "--sort", request));
  }
  const std::vector<Column>& sorted = sorted_list.columns;
  result.levels = sorted_list.levels;
  if (request.fields) {
    const std::string_view list = *request.fields;
    PEREGRINE_TRY(shown_list.parse(list.starts_with('+') ? list.substr(1) : list, kFields, request));
    if (list.starts_with('+')) result.shown = standing_metrics(request);
    for (const Column& column : shown_list.columns) add_once(result.shown, column);
  } else {
    result.shown = standing_metrics(request);
  }
  // Unless -F gives all columns or -s mentions overhead itself, rows are ordered by their sums first.
  const auto mentions = [&](std::string_view word) { return request.sort && request.sort->contains(word); };
  if (!strict && request.latency) add_once(result.order, column_of(Metric::Latency));
  if (!strict && request.children && !mentions("overhead_children"))
    add_once(result.order, column_of(Metric::OverheadChildren));
  if (!strict && !mentions("overhead")) add_once(result.order, column_of(Metric::Overhead));
  // A breakdown splits the row's sum; order rows by the sum, not by its parts.
  const auto add_to_order = [&](const Column& column) {
    const bool part = column.is_metric && is_access_part(column.metric);
    add_once(result.order, part ? column_of(Metric::Overhead) : column);
  };
  std::ranges::for_each(sorted, add_to_order);
  for (const Column& column : sorted) add_once(result.shown, column);
  std::ranges::for_each(result.shown, add_to_order);
  for (const Column& column : result.shown)
    if (!column.is_metric) result.keys.push_back(column.key);
  if (request.dynamic != nullptr) result.fields = request.dynamic->columns();
  return result;
}

}  // namespace peregrine
