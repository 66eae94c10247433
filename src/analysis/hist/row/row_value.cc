#include "analysis/hist/row/row_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {
namespace {

bool has_level(SortKey key) { return key->kind == KeyKind::Symbol || key->kind == KeyKind::CodePlace; }

RowValue text_or_nothing(const FaceTable& faces, StringId text) {
  return text.valid() ? RowValue(std::string(faces.text(text))) : RowValue();
}

}  // namespace

RowValues::RowValues(const RowTable& table, const std::vector<std::string>& events)
    : table_(table), columns_(table.request().columns.shown) {
  if (events.empty()) std::erase_if(columns_, [](const Column& column) { return column.is_metric; });
  for (const Metric metric : {Metric::Period, Metric::Samples})
    if (!events.empty() && std::ranges::find(columns_, column_of(metric)) == columns_.end())
      columns_.push_back(column_of(metric));
  for (const Column& column : columns_) {
    if (column.is_metric) {
      name_metric(column.metric, events);
      continue;
    }
    name_key(column.key);
  }
}

void RowValues::name_key(SortKey key) {
  const std::string name(is_dynamic(key)           ? table_.request().columns.fields[dynamic_index(key)].name
                         : key->value_name.empty() ? key->name
                                                   : key->value_name);
  names_.push_back(name);
  if (key->kind != KeyKind::Thread && !has_level(key)) return;
  names_.push_back(key->second_name.empty() ? name + "_level" : std::string(key->second_name));
}

void RowValues::name_metric(Metric metric, const std::vector<std::string>& events) {
  const std::string name(metric == Metric::Samples ? "samples" : spec_of(metric).name);
  for (std::size_t member = 0; member < table_.members(); ++member)
    names_.push_back(table_.members() == 1 || member >= events.size() ? name
                                                                      : fmt::format("{}.{}", name, events[member]));
}

double RowValues::percent(u64 weight) const {
  const u64 total = table_.total_period();
  return total == 0 ? 0 : 100.0 * static_cast<double>(weight) / static_cast<double>(total);
}

void RowValues::add_metric(Metric metric, const std::function<u64(std::size_t member)>& value_of) {
  for (std::size_t member = 0; member < table_.members(); ++member) {
    const u64 value = value_of(member), total = table_.total(metric, member);
    if (metric == Metric::OverheadChildren && !table_.request().children)
      values_.emplace_back();
    else if (spec_of(metric).mean)
      values_.emplace_back(static_cast<double>(value) / 10);
    else if (!spec_of(metric).percent)
      values_.emplace_back(value);
    else
      values_.emplace_back(total == 0 ? 0.0 : 100.0 * static_cast<double>(value) / static_cast<double>(total));
  }
}

void RowValues::add_key(const Row& row, SortKey key) {
  if (key->source == KeySource::Group) return add_group(row, key);
  const FrameLook& look = table_.look(row, key);
  add_frame(look, key, key == SortKey::Symbol ? row.level : look.level);
}

void RowValues::add_frame(const FrameLook& look, SortKey key, char level) {
  const FaceTable& faces = table_.faces();
  switch (key->kind) {
    case KeyKind::SymbolSize:
      values_.push_back(look.symbol.valid() ? RowValue(symbol_size(look)) : RowValue());
      return;
    case KeyKind::DsoSize:
      values_.push_back(look.dso_size != 0 ? RowValue(look.dso_size) : RowValue());
      return;
    case KeyKind::Line:
      values_.push_back(text_or_nothing(faces, look.line));
      return;
    case KeyKind::File:
      values_.push_back(text_or_nothing(faces, look.file));
      return;
    case KeyKind::SymbolName:
      values_.push_back(text_or_nothing(faces, look.symbol));
      return;
    case KeyKind::Symbol:
    case KeyKind::CodePlace:
      break;
    default:
      values_.push_back(text_or_nothing(faces, look.dso));
      return;
  }
  const bool inside = key->kind == KeyKind::CodePlace && look.symbol.valid() && look.address > look.start;
  if (inside)
    values_.emplace_back(fmt::format("{}+{:#x}", faces.text(look.symbol), look.address - look.start));
  else if (look.symbol.valid())
    values_.emplace_back(std::string(faces.text(look.symbol)));
  else
    values_.emplace_back(fmt::format("{:#x}", look.address));
  values_.emplace_back(std::string(1, level));
}

void RowValues::add_group(const Row& row, SortKey key) {
  const u64 value = table_.group_value(row, key);
  switch (key->kind) {
    case KeyKind::Text:
    case KeyKind::Word:
    case KeyKind::Field:
      values_.emplace_back(std::string(table_.group_text(row, key)));
      return;
    case KeyKind::Thread:
      values_.emplace_back(i64{static_cast<i32>(value)});
      values_.emplace_back(std::string(table_.group_text(row, key)));
      return;
    case KeyKind::Processor:
      values_.emplace_back(i64{static_cast<i32>(value)});
      return;
    case KeyKind::Time:
      values_.emplace_back(static_cast<double>(value) / 1e9);
      return;
    case KeyKind::Address:
      values_.emplace_back(fmt::format("{:#x}", value));
      return;
    case KeyKind::Total:
      values_.emplace_back(value * table_.sums(row).samples);
      return;
    case KeyKind::Counted:
      values_.push_back(value == 0 ? RowValue() : RowValue(value));
      return;
    default:
      values_.emplace_back(value);
  }
}

const std::vector<RowValue>& RowValues::of(const Row& row) {
  values_.clear();
  for (const Column& column : columns_) {
    const auto value_of = [&](std::size_t member) { return table_.value(row, column.metric, member); };
    column.is_metric ? add_metric(column.metric, value_of) : add_key(row, column.key);
  }
  return values_;
}

const std::vector<RowValue>& RowValues::of(const RowTree& tree, u32 node) {
  values_.clear();
  const Row& row = table_.rows()[tree.node(node).row];
  for (const Column& column : columns_) {
    if (column.is_metric) {
      add_metric(column.metric, [&](std::size_t member) { return tree.value(node, column.metric, member); });
      continue;
    }
    const std::size_t first = values_.size();
    add_key(row, column.key);
    const auto has_key = [&](const std::vector<SortKey>& level) {
      return std::ranges::find(level, column.key) != level.end();
    };
    const auto level = std::ranges::find_if(tree.levels(), has_key) - tree.levels().begin();
    if (level > static_cast<std::ptrdiff_t>(tree.node(node).level))
      std::fill(values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end(), RowValue());
  }
  return values_;
}

}  // namespace peregrine
