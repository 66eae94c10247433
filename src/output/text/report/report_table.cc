#include "output/text/report/report_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/report/key_look.h"
#include "output/text/report/metric_cell.h"
#include "output/text/report/report_graph.h"
#include "output/text/report/row_cells.h"

namespace peregrine {
namespace {

constexpr std::size_t kGraphsAtOnce = 512;

class TablePrinter {
 public:
  TablePrinter(Sink& out, const RowTable& table, const TableText& style)
      : out_(out),
        table_(table),
        style_(style),
        cells_(table, style.separator, style.separator.empty() && style.widths.empty()) {
    for (const Column& column : table.request().columns.shown)
      if (column.is_metric || std::ranges::find(style.hidden, column.key) == style.hidden.end())
        columns_.push_back(column);
    measure();
  }
  void print();

 private:
  void measure();
  void measure_row(const Row& row);
  bool passes(const Row& row) const;
  std::string title_of(const Column& column) const;
  std::string_view before(std::size_t column) const;
  void print_breakdowns();
  void print_titles();
  void print_row(const Row& row);
  void append_metric(const Row& row, const Column& column, unsigned width);
  bool plain() const { return style_.separator.empty(); }

  Sink& out_;
  const RowTable& table_;
  const TableText& style_;
  RowCells cells_;
  std::vector<Column> columns_;
  std::vector<unsigned> widths_;  // by column
};

void TablePrinter::measure() {
  const unsigned members = static_cast<unsigned>(table_.members());
  for (const Column& column : columns_) {
    const std::string title = title_of(column);
    const unsigned least =
        column.is_metric ? metric_width(column.metric) * members : least_width(table_.request().columns, column.key);
    widths_.push_back(std::max(least, static_cast<unsigned>(title.size())));
  }
  std::size_t shown = 0;
  for (const Row& row : table_.rows()) {
    if (!passes(row)) continue;
    measure_row(row);
    if (++shown == style_.most_rows) break;
  }
  for (std::size_t i = 0; i < columns_.size() && i < style_.widths.size(); ++i)
    if (style_.widths[i] != 0) widths_[i] = style_.widths[i];
}

bool TablePrinter::passes(const Row& row) const {
  if (style_.least_samples != 0 && table_.sums(row).samples <= style_.least_samples) return false;
  if (style_.symbol_filter.empty()) return true;
  const StringId symbol = table_.frame_look(row).symbol;
  return symbol.valid() && table_.faces().text(symbol).contains(style_.symbol_filter);
}

void TablePrinter::measure_row(const Row& row) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!columns_[i].is_metric)
      widths_[i] = std::max(widths_[i], static_cast<unsigned>(cells_.width(row, columns_[i].key)));
}

// A column that -w makes narrower than its title keeps the title's width.
void TablePrinter::append_metric(const Row& row, const Column& column, unsigned width) {
  const Metric metric = column.metric;
  std::vector<u64> values;
  for (std::size_t member = 0; member < table_.members(); ++member) values.push_back(table_.value(row, metric, member));
  const std::size_t least = plain() && column != columns_.back() ? title_of(column).size() : 0;
  const std::string text = metric_text(table_, metric, values, width, {.plain = plain()});
  if (!plain()) {
    out_.left(text, width);
    return;
  }
  out_.append(style_.colors ? metric_text(table_, metric, values, width, {.colors = true}) : text);
  if (text.size() < least) out_.fill(' ', least - text.size());
}

// In aligned output, a part of a breakdown has a short title, because the breakdown's title is above it.
std::string TablePrinter::title_of(const Column& column) const {
  const bool part = plain() && column.is_metric && is_access_part(column.metric);
  return part ? std::string(part_title(column.metric)) : column_title(table_, column);
}

// The separator before a column. The parts of one breakdown follow each other without a gap.
std::string_view TablePrinter::before(std::size_t column) const {
  if (column == 0) return "";
  if (!plain()) return style_.separator;
  const Column &a = columns_[column - 1], &b = columns_[column];
  const Breakdown* breakdown = a.is_metric && b.is_metric ? breakdown_of(a.metric) : nullptr;
  return breakdown != nullptr && breakdown == breakdown_of(b.metric) ? "" : "  ";
}

void TablePrinter::print_breakdowns() {
  std::string line = "# ";
  bool any = false;
  for (std::size_t i = 0; i < columns_.size();) {
    const Breakdown* breakdown = columns_[i].is_metric ? breakdown_of(columns_[i].metric) : nullptr;
    line += before(i);
    unsigned width = widths_[i++];
    while (breakdown != nullptr && i < columns_.size() && before(i).empty()) width += widths_[i++];
    any = any || breakdown != nullptr;
    const std::string_view name = breakdown != nullptr ? breakdown_title(*breakdown) : std::string_view();
    const std::string title = breakdown != nullptr ? fmt::format(" {} ", name) : std::string();
    if (title.size() < width && breakdown != nullptr)
      line += fmt::format("{:-^{}}", title, width);
    else
      line += fmt::format("{:>{}}", name, width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  if (any) out_.append(line).append('\n');
}

void TablePrinter::print_titles() {
  if (plain()) print_breakdowns();
  out_.append("# ");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string title = title_of(columns_[i]);
    out_.append(before(i));
    if (columns_[i].is_metric || is_dynamic(columns_[i].key))
      out_.right(title, widths_[i]);
    else
      out_.left(std::string_view(title).substr(0, widths_[i]), widths_[i]);
  }
  out_.append('\n');
  if (!plain()) return;
  out_.append("# ");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // Metric titles are never truncated.
    const std::size_t least = columns_[i].is_metric ? title_of(columns_[i]).size() : 0;
    out_.append(before(i)).fill('.', std::max<std::size_t>(widths_[i], least));
  }
  out_.append("\n#\n");
}

void TablePrinter::print_row(const Row& row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    out_.append(i == 0 && plain() ? "  " : before(i));
    if (columns_[i].is_metric) {
      append_metric(row, columns_[i], widths_[i]);
      continue;
    }
    const SortKey key = columns_[i].key;
    std::string text = cells_.text(row, key, widths_[i]);
    const std::size_t width = display_width(text);
    if (plain() && width > widths_[i] && is_cut(key)) text.resize(widths_[i]);
    out_.append(text);
    const bool pads = cells_.is_padded(key) || i + 1 < columns_.size();
    if (pads && width < widths_[i]) out_.fill(' ', widths_[i] - width);
  }
  out_.append('\n');
}

void TablePrinter::print() {
  if (style_.titles) print_titles();
  const double total = static_cast<double>(table_.total_period());
  std::vector<u32> shown_rows;
  for (u32 at = 0; at < table_.rows().size(); ++at) {
    const double percent = total == 0 ? 0 : 100.0 * static_cast<double>(table_.weight(table_.rows()[at])) / total;
    if (percent >= style_.least_percent && passes(table_.rows()[at])) shown_rows.push_back(at);
    if (style_.most_rows != 0 && shown_rows.size() == style_.most_rows) break;
  }
  std::optional<CallGraphBuilder> builder;
  if (style_.graphs && style_.graph.mode != GraphMode::None) builder.emplace(table_);
  for (std::size_t at = 0; at < shown_rows.size(); at += kGraphsAtOnce) {
    const std::span<const u32> part =
        std::span(shown_rows).subspan(at, std::min(kGraphsAtOnce, shown_rows.size() - at));
    std::vector<CallGraph> graphs(part.size());
    if (builder) {
      graphs = builder->build(part, least_total(table_, style_.graph), least_share(style_.graph));
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Row& row = table_.rows()[part[i]];
      print_row(row);
      if (!builder) continue;
      const GraphText graph{style_.graph, style_.symbol_leads, style_.branch_sums, style_.colors && plain()};
      print_call_graph(out_, graphs[i], table_.faces(), graph, table_.weight(row),
                       table_.hists().totals(table_.request().events[0]).period);
    }
  }
}

}  // namespace

void print_table(Sink& out, const RowTable& table, const TableText& style) { TablePrinter(out, table, style).print(); }

std::string short_count(u64 count) {
  constexpr std::string_view kUnits = " KMGTPE";
  std::size_t unit = 0;
  for (; count >= 1000 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return fmt::format("{}{}", count, kUnits[unit]);
}

}  // namespace peregrine
