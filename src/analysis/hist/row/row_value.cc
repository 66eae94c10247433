#include "analysis/hist/row/row_value.h"

#include <algorithm>

namespace peregrine {
namespace {

bool is_thread(const SortKeySpec& spec) { return spec.look == KeyLook::ThreadComm; }
bool is_symbol(const SortKeySpec& spec) { return spec.look == KeyLook::Symbol || spec.look == KeyLook::Place; }

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
    const SortKeySpec& spec = spec_of(column.key);
    if (is_dynamic(column.key))
      names_.emplace_back(header_of(table_.request().columns, column.key));
    else
      names_.emplace_back(column.key == SortKey::Pid ? "tid" : spec.name);
    if (is_thread(spec)) names_.emplace_back(column.key == SortKey::Pid ? "thread_comm" : "process_comm");
    if (is_symbol(spec)) names_.push_back(column.key == SortKey::Symbol ? "level" : fmt::format("{}_level", spec.name));
  }
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
  const SortKeySpec& spec = spec_of(key);
  if (spec.source != KeySource::Group) {
    const FrameLook& look = spec.source == KeySource::Frame ? table_.frame_look(row) : table_.data_look(row, key);
    const FaceTable& faces = table_.faces();
    if (spec.look == KeyLook::Size) {
      values_.push_back(look.symbol.valid() ? RowValue(symbol_size(look)) : RowValue());
      return;
    }
    if (spec.look == KeyLook::DsoSize) {
      values_.push_back(look.dso_size != 0 ? RowValue(look.dso_size) : RowValue());
      return;
    }
    if (spec.look == KeyLook::Line || spec.look == KeyLook::SourceFile) {
      values_.push_back(text_or_nothing(faces, spec.look == KeyLook::Line ? look.line : look.file));
      return;
    }
    if (!is_symbol(spec) && spec.look != KeyLook::Name) {
      values_.push_back(text_or_nothing(faces, look.dso));
      return;
    }
    const bool inside = spec.look == KeyLook::Place && look.symbol.valid() && look.address > look.start;
    if (inside)
      values_.emplace_back(fmt::format("{}+{:#x}", faces.text(look.symbol), look.address - look.start));
    else if (look.symbol.valid())
      values_.emplace_back(std::string(faces.text(look.symbol)));
    else if (spec.look == KeyLook::Name)
      values_.emplace_back();
    else
      values_.emplace_back(fmt::format("{:#x}", look.address));
    if (is_symbol(spec)) values_.emplace_back(std::string(1, key == SortKey::Symbol ? row.level : look.level));
    return;
  }
  const u64 value = table_.group_value(row, key);
  switch (spec.look) {
    case KeyLook::Text:
    case KeyLook::Trace:
    case KeyLook::Word:
    case KeyLook::Field:
      values_.emplace_back(std::string(table_.group_text(row, key)));
      return;
    case KeyLook::ThreadComm:
      values_.emplace_back(i64{static_cast<i32>(value)});
      values_.emplace_back(std::string(table_.group_text(row, key)));
      return;
    case KeyLook::Padded:
      values_.emplace_back(i64{static_cast<i32>(value)});
      return;
    case KeyLook::Time:
      values_.emplace_back(static_cast<double>(value) / 1e9);
      return;
    case KeyLook::Hex:
      values_.emplace_back(fmt::format("{:#x}", value));
      return;
    case KeyLook::Sum:
      values_.emplace_back(value * table_.sums(row).samples);
      return;
    case KeyLook::Dashed:
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
