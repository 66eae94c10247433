#include "output/text/diff/diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/diff/change.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"
#include "output/text/report/key_look.h"
#include "output/text/report/row_cells.h"

namespace peregrine {
namespace {

enum class What : u8 { Baseline, BasePeriod, Change, Formula, Period, Interval, Real };

struct NumberColumn {
  What what;
  std::size_t side;
  std::string title;
  unsigned width;
};

std::string_view change_title(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Delta:
      return "Delta";
    case ChangeKind::DeltaAbsolute:
      return "Delta Abs";
    case ChangeKind::Ratio:
      return "Ratio";
    case ChangeKind::Weighted:
      return "Weighted diff";
  }
  return {};
}

class DiffPrinter {
 public:
  DiffPrinter(Sink& out, const Comparison& comparison, const DiffText& style)
      : out_(out), comparison_(comparison), style_(style) {
    for (std::size_t side = 0; side < comparison.sides(); ++side) {
      cells_.emplace_back();
      if (comparison.side(side) == nullptr) continue;
      if (keys_.empty()) choose_keys(*comparison.side(side));
      cells_.back().emplace(*comparison.side(side), style.separator, true);
    }
    choose_numbers();
    measure();
    make_table();
  }
  void print() {
    if (style_.titles) print_titles();
    for (const ComparedRow& row : comparison_.rows()) print_row(row);
  }

 private:
  void choose_keys(const RowTable& table) {
    columns_ = table.request().columns;
    for (const SortKey key : table.request().columns.keys)
      if (std::ranges::find(style_.hidden, key) == style_.hidden.end()) keys_.push_back(key);
  }
  void choose_numbers();
  void add(What what, std::size_t side, std::string_view title, unsigned width);
  void measure();
  void make_table();
  void print_titles();
  void print_row(const ComparedRow& row);
  std::string number(const ComparedRow& row, const NumberColumn& column) const;
  std::string change(const ComparedRow& row, std::size_t side) const;
  std::string formula(const ComparedRow& row, std::size_t side) const;
  std::string interval(const ComparedRow& row, std::size_t side) const;
  bool plain() const { return style_.separator.empty(); }
  ChangeKind kind() const { return comparison_.request().rule.kind; }
  bool needs_baseline() const { return kind() == ChangeKind::Ratio || kind() == ChangeKind::Weighted; }

  Sink& out_;
  const Comparison& comparison_;
  const DiffText& style_;
  Columns columns_;
  std::vector<SortKey> keys_;
  std::vector<std::optional<RowCells>> cells_;  // by side
  std::vector<NumberColumn> numbers_;
  std::vector<unsigned> widths_;    // of the key columns
  std::optional<TextTable> table_;  // the numbers, then the keys
};

void DiffPrinter::add(What what, std::size_t side, std::string_view title, unsigned width) {
  std::string text(title);
  if (comparison_.sides() > 2) text += fmt::format("/{}", side);
  width = std::max(width, static_cast<unsigned>(text.size()));
  numbers_.push_back({what, side, std::move(text), width});
}

void DiffPrinter::choose_numbers() {
  add(What::Baseline, 0, "Baseline", 8);
  if (style_.periods) add(What::BasePeriod, 0, "Base period", 14);
  for (std::size_t side = 1; side < comparison_.sides(); ++side) {
    add(What::Change, side, change_title(kind()), needs_baseline() ? 14 : 7);
    if (style_.intervals) {
      add(What::Interval, side, "95% Interval", 12);
      add(What::Real, side, "Real", 4);
    }
    if (style_.formula) add(What::Formula, side, "Formula", 70);
    if (style_.periods) add(What::Period, side, "Period", 14);
  }
}

void DiffPrinter::measure() {
  for (const SortKey key : keys_) widths_.push_back(least_width(columns_, key));
  for (const ComparedRow& row : comparison_.rows()) {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      widths_[i] =
          std::max(widths_[i], static_cast<unsigned>(cells_[row.shown_side]->width(comparison_.row_of(row), keys_[i])));
    for (NumberColumn& column : numbers_)
      if (column.what == What::Interval)
        column.width = std::max(column.width, static_cast<unsigned>(interval(row, column.side).size()));
  }
}

void DiffPrinter::make_table() {
  std::vector<TextColumn> columns;
  const auto before = [&] { return plain() ? std::string("  ") : columns.empty() ? std::string() : style_.separator; };
  for (const NumberColumn& number : numbers_) {
    // change() pads ratios and weighted differences to a fixed width. Do not align them to the title.
    const bool fixed = !plain() || (number.what == What::Change && needs_baseline());
    columns.push_back({.title = number.title,
                       .width = number.width,
                       .align = fixed ? Align::Left : Align::Right,
                       .before = before(),
                       .title_align = Align::Right});
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::string title(title_of(columns_, keys_[i]));
    columns.push_back({.title = title, .width = widths_[i], .align = Align::Left, .before = before()});
  }
  table_.emplace(std::move(columns));
}

void DiffPrinter::print_titles() {
  if (plain()) return table_->commented_titles(out_);
  table_->titles(out_.append("# "));
}

std::string DiffPrinter::change(const ComparedRow& row, std::size_t side) const {
  const RowChange& change = row.changes[side];
  if (!change.present) return {};
  if (needs_baseline() && !row.in_baseline()) return "N/A";
  switch (kind()) {
    case ChangeKind::Delta:
    case ChangeKind::DeltaAbsolute:
      return fmt::format("{:+.2f}%", change.value);
    case ChangeKind::Ratio:
      return fmt::format("{:14.6f}", change.value);
    case ChangeKind::Weighted:
      return fmt::format("{:14.0f}", change.value);
  }
  return {};
}

std::string DiffPrinter::formula(const ComparedRow& row, std::size_t side) const {
  if (!row.changes[side].present) return {};
  const u64 was = row.weights[0].period, is = row.weights[side].period;
  const ChangeRule& rule = comparison_.request().rule;
  switch (rule.kind) {
    case ChangeKind::Delta:
    case ChangeKind::DeltaAbsolute:
      return fmt::format("({} * 100 / {}) - ({} * 100 / {})", is, comparison_.whole(side).period, was,
                         comparison_.whole(0).period);
    case ChangeKind::Ratio:
      return fmt::format("{} / {}", is, was);
    case ChangeKind::Weighted:
      return fmt::format("({} * {}) - ({} * {})", is, rule.new_weight, was, rule.old_weight);
  }
  return {};
}

std::string DiffPrinter::interval(const ComparedRow& row, std::size_t side) const {
  const std::optional<Interval>& bounds = row.changes[side].interval;
  if (!bounds) return {};
  switch (kind()) {
    case ChangeKind::Delta:
    case ChangeKind::DeltaAbsolute:
      return fmt::format("{:+.2f}..{:+.2f}%", bounds->low, bounds->high);
    case ChangeKind::Ratio:
      return fmt::format("{:.2f}..{:.2f}", bounds->low, bounds->high);
    case ChangeKind::Weighted:
      return fmt::format("{:.0f}..{:.0f}", bounds->low, bounds->high);
  }
  return {};
}

std::string DiffPrinter::number(const ComparedRow& row, const NumberColumn& column) const {
  switch (column.what) {
    case What::Baseline: {
      if (!row.in_baseline()) return {};
      const u64 whole = comparison_.whole(0).period;
      const double share =
          whole == 0 ? 0 : 100 * static_cast<double>(row.weights[0].period) / static_cast<double>(whole);
      return plain() ? fmt::format("{:.2f}%", share) : fmt::format("{:.2f}", share);
    }
    case What::BasePeriod:
      return fmt::format("{}", row.weights[0].period);
    case What::Change:
      return change(row, column.side);
    case What::Formula:
      return formula(row, column.side);
    case What::Period:
      return row.changes[column.side].present ? fmt::format("{}", row.weights[column.side].period) : std::string();
    case What::Interval:
      return interval(row, column.side);
    case What::Real:
      return row.changes[column.side].real ? "yes" : row.changes[column.side].interval ? "no" : "";
  }
  return {};
}

void DiffPrinter::print_row(const ComparedRow& row) {
  std::vector<std::string> cells;
  for (const NumberColumn& column : numbers_) {
    cells.push_back(number(row, column));
    if (plain() && cells.back() == "N/A") cells.back() = fmt::format("{:>{}}", cells.back(), column.width);
  }
  for (const SortKey key : keys_)
    cells.push_back(
        cells_[row.shown_side]->text(comparison_.row_of(row), key, widths_[cells.size() - numbers_.size()]));
  if (!keys_.empty() && !is_padded(keys_.back())) {  // nothing follows
    table_->cells(out_, std::span(cells).first(cells.size() - 1));
    out_.append(table_->columns().back().before).append(cells.back()).append('\n');
    return;
  }
  table_->row(out_, cells);
}

}  // namespace

void print_diff_heading(Sink& out, std::string_view event, std::span<const std::string> files) {
  out.format("# Event '{}'\n#\n", printable(event));
  if (files.empty()) return;
  out.append("# Data files:\n");
  for (std::size_t at = 0; at < files.size(); ++at)
    out.format("#  [{}] {} {}\n", at, printable(files[at]), at == 0 ? "(Baseline)" : "");
  out.append("#\n");
}

void print_diff(Sink& out, const Comparison& comparison, const DiffText& style) {
  DiffPrinter(out, comparison, style).print();
}

}  // namespace peregrine
