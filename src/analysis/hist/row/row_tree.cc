#include "analysis/hist/row/row_tree.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "analysis/flat_index.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u32 kNoParent = 0xffffffffu;

u64 hash_of(const std::vector<u64>& values) {
  u64 result = 0;
  for (const u64 value : values) result = mix_bits(result ^ value) + 1;
  return result;
}

std::vector<u32> all_rows(const RowTable& table) {
  std::vector<u32> rows(table.rows().size());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

}  // namespace

RowTree::RowTree(const RowTable& table, std::vector<std::vector<SortKey>> levels)
    : RowTree(table, std::move(levels), all_rows(table)) {}

RowTree::RowTree(const RowTable& table, std::vector<std::vector<SortKey>> levels, std::span<const u32> rows)
    : table_(table), levels_(std::move(levels)) {
  for (const MetricSpec& spec : all_metrics()) metrics_.push_back(spec.metric);
  for (const Column& column : table.request().columns.shown)
    if (column.is_metric && std::ranges::find(metrics_, column.metric) == metrics_.end())
      metrics_.push_back(column.metric);
  for (const u32 row : rows) add_row(row);
  sort(roots_);
  for (RowNode& node : nodes_) sort(node.children);
}

std::size_t RowTree::place_of(Metric metric) const {
  return static_cast<std::size_t>(std::ranges::find(metrics_, metric) - metrics_.begin());
}

u64 RowTree::value(u32 id, Metric metric, std::size_t member) const {
  const auto stored = [&](Metric which) {
    return values_[(id * metrics_.size() + place_of(which)) * table_.members() + member];
  };
  if (!spec_of(metric).mean) return stored(metric);
  const u64 samples = stored(Metric::Samples);
  return samples == 0 ? 0 : stored(metric) / samples;
}

// Means cannot be added, so add the underlying sums.
u64 RowTree::addend(const Row& row, Metric metric, std::size_t member) const {
  const u64 samples = spec_of(metric).mean ? table_.sums(row, member).samples : 1;
  return table_.value(row, metric, member) * samples;
}

void RowTree::add_row(u32 row) {
  u32 parent = kNoParent;
  for (u32 level = 0; level < levels_.size(); ++level) {
    const u32 id = find_or_add(parent, level, row);
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric)
      for (std::size_t member = 0; member < table_.members(); ++member)
        values_[(id * metrics_.size() + metric) * table_.members() + member] +=
            addend(table_.rows()[row], metrics_[metric], member);
    parent = id;
  }
}

// Functions are identified by address, as in RowTable.
void RowTree::append_identity(std::vector<u64>& to, const Row& row, SortKey key) const {
  if (key != SortKey::Symbol) {
    to.push_back(table_.rank_of(row, key));
    return;
  }
  const FrameLook& look = table_.frame_look(row);
  const u64 inlined = look.inlined ? u64{look.symbol.value} + 1 : 0;
  to.insert(to.end(), {look.symbol.valid() ? u64{1} : 0, look.start, look.end, inlined});
}

std::vector<u64> RowTree::identity(u32 parent, u32 level, u32 row) const {
  std::vector<u64> result{parent};
  for (const SortKey key : levels_[level]) append_identity(result, table_.rows()[row], key);
  return result;
}

u32 RowTree::find_or_add(u32 parent, u32 level, u32 row) {
  std::vector<u64> wanted = identity(parent, level, row);
  const u32 fresh = static_cast<u32>(nodes_.size());
  const u32 id = index_.find_or_add(
      hash_of(wanted), fresh, [&](u32 node) { return identities_[node] == wanted; },
      [&](u32 node) { return hash_of(identities_[node]); });
  if (id != fresh) return id;
  nodes_.push_back({.level = level, .row = row, .children = {}});
  identities_.push_back(std::move(wanted));
  values_.resize(nodes_.size() * metrics_.size() * table_.members());
  (parent == kNoParent ? roots_ : nodes_[parent].children).push_back(id);
  return id;
}

void RowTree::sort(std::vector<u32>& siblings) {
  std::ranges::stable_sort(siblings, [&](u32 a, u32 b) {
    for (const Column& column : table_.request().columns.order) {
      if (column.is_metric) {
        for (std::size_t member = 0; member < table_.members(); ++member) {
          const u64 x = value(a, column.metric, member), y = value(b, column.metric, member);
          if (x != y) return x > y;
        }
        continue;
      }
      const std::vector<SortKey>& own = levels_[nodes_[a].level];
      if (std::ranges::find(own, column.key) == own.end()) continue;
      const u64 x = table_.rank_of(table_.rows()[nodes_[a].row], column.key);
      const u64 y = table_.rank_of(table_.rows()[nodes_[b].row], column.key);
      if (x != y) return x < y;
    }
    return false;
  });
}

}  // namespace peregrine
