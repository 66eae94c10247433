#include "output/text/report/report_tree.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

constexpr std::size_t kTreeIndent = 3;

class RowTreePrinter {
 public:
  RowTreePrinter(Sink& out, const RowTree& tree, const TableText& style)
      : out_(out), tree_(tree), table_(tree.table()), style_(style), cells_(table_, style.separator, true) {
    for (const Column& column : table_.request().columns.shown)
      if (column.is_metric) metrics_.push_back(column.metric);
    if (style.graphs && style.graph.mode != GraphMode::None) builder_.emplace(table_);
    measure();
  }
  void print() {
    if (style_.titles) print_titles();
    for (const u32 root : tree_.roots()) print_node(root);
  }

 private:
  void measure();
  void print_titles();
  void print_node(u32 id);
  void print_keys(const RowNode& node);
  void print_graph(const RowNode& node);
  double share(u32 id) const;
  bool passes(u32 id) const;
  std::string title() const;
  bool plain() const { return style_.separator.empty(); }
  std::string_view between() const { return plain() ? std::string_view("  ") : std::string_view(style_.separator); }
  // How far the sums of the last level are indented. The keys of all levels move right by as much, so that they stay
  // after the sums.
  std::size_t indent() const {
    return plain() && !tree_.levels().empty() ? kTreeIndent * (tree_.levels().size() - 1) : 0;
  }

  Sink& out_;
  const RowTree& tree_;
  const RowTable& table_;
  const TableText& style_;
  RowCells cells_;
  std::vector<Metric> metrics_;
  std::vector<unsigned> metric_widths_;
  std::vector<std::vector<unsigned>> widths_;  // by level and key
  std::optional<CallGraphBuilder> builder_;
};

void RowTreePrinter::measure() {
  for (const Metric metric : metrics_)
    metric_widths_.push_back(std::max(metric_width(metric) * static_cast<unsigned>(table_.members()),
                                      static_cast<unsigned>(column_title(table_, column_of(metric)).size())));
  for (const std::vector<SortKey>& level : tree_.levels()) {
    std::vector<unsigned>& widths = widths_.emplace_back();
    for (const SortKey key : level) {
      std::size_t width = least_width(table_.request().columns, key);
      for (const Row& row : table_.rows()) width = std::max(width, cells_.width(row, key));
      widths.push_back(static_cast<unsigned>(width));
    }
  }
}

std::string RowTreePrinter::title() const { return levels_title(table_.request().columns, tree_.levels()); }

void RowTreePrinter::print_titles() {
  out_.append("# ").fill(' ', indent());
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    out_.append(i > 0 ? between() : std::string_view())
        .right(column_title(table_, column_of(metrics_[i])), metric_widths_[i]);
  const std::string keys = title();
  out_.append(between()).append(keys).append("\n# ").fill('.', indent());
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (i > 0 && plain())
      out_.append("..");
    else if (i > 0)
      out_.append(style_.separator);
    out_.fill('.', metric_widths_[i]);
  }
  std::size_t width = keys.size();
  for (std::size_t level = 0; level < widths_.size(); ++level) {
    std::size_t sum = kTreeIndent * level + 2 * (widths_[level].size() - 1);
    for (const unsigned each : widths_[level]) sum += each;
    width = std::max(width, sum);
  }
  out_.append(between()).fill('.', width).append("\n#\n");
}

double RowTreePrinter::share(u32 id) const {
  const double total = static_cast<double>(table_.total_period());
  return total == 0 ? 0 : 100.0 * static_cast<double>(tree_.weight(id)) / total;
}

// A node passes the symbol filter if any leaf below it does: leaves have symbols, the levels above may not.
bool RowTreePrinter::passes(u32 id) const {
  if (share(id) < style_.least_percent) return false;
  const RowNode& node = tree_.node(id);
  if (style_.symbol_filter.empty()) return true;
  if (!node.children.empty()) return std::ranges::any_of(node.children, [&](u32 child) { return passes(child); });
  const StringId symbol = table_.frame_look(table_.rows()[node.row]).symbol;
  return symbol.valid() && table_.faces().text(symbol).contains(style_.symbol_filter);
}

void RowTreePrinter::print_keys(const RowNode& node) {
  const std::vector<SortKey>& keys = tree_.levels()[node.level];
  const Row& row = table_.rows()[node.row];
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) out_.append(between());
    const unsigned width = widths_[node.level][i];
    std::string text = cells_.text(row, keys[i], width);
    const std::size_t taken = display_width(text);
    if (i == 0) text.erase(0, text.find_first_not_of(' '));
    out_.append(text);
    const bool pads = cells_.is_padded(keys[i]) || i + 1 < keys.size();
    if (pads && taken < width) out_.fill(' ', width - taken);
  }
  out_.append('\n');
}

void RowTreePrinter::print_graph(const RowNode& node) {
  const std::vector<CallGraph> graphs =
      builder_->build(std::span(&node.row, 1), least_total(table_, style_.graph), least_share(style_.graph));
  print_call_graph(out_, graphs[0], table_.faces(),
                   {style_.graph, style_.symbol_leads, style_.branch_sums, style_.colors && plain()},
                   table_.weight(table_.rows()[node.row]), table_.hists().totals(table_.request().events[0]).period);
}

void RowTreePrinter::print_node(u32 id) {
  if (!passes(id)) return;
  const RowNode& node = tree_.node(id);
  out_.fill(' ', kTreeIndent * node.level);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    std::vector<u64> values;
    for (std::size_t member = 0; member < table_.members(); ++member)
      values.push_back(tree_.value(id, metrics_[i], member));
    if (plain())
      out_.append("  ");
    else if (i > 0)
      out_.append(style_.separator);
    const MetricLook look{.plain = plain(), .colors = style_.colors && plain()};
    out_.left(metric_text(table_, metrics_[i], values, metric_widths_[i], look), plain() ? 0 : metric_widths_[i]);
  }
  out_.append(between()).fill(' ', indent());
  print_keys(node);
  if (node.level + 1 == tree_.levels().size()) {
    if (builder_) print_graph(node);
    return;
  }
  for (const u32 child : node.children) print_node(child);
  if (std::ranges::any_of(node.children, [&](u32 child) { return passes(child); })) return;
  std::size_t margin = 2 + indent() + kTreeIndent * (node.level + 1);
  for (const unsigned width : metric_widths_) margin += 2 + width;
  out_.fill(' ', margin).format("no entry >= {:.2f}%\n", style_.least_percent);
}

}  // namespace

void print_tree(Sink& out, const RowTree& tree, const TableText& style) { RowTreePrinter(out, tree, style).print(); }

}  // namespace peregrine
