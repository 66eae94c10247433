// RowTree: the rows of a RowTable as a tree with a level per sort key, or per braced list of keys: report --hierarchy.
//
// A node sums the rows below it. Siblings are sorted like the table's rows: by the sums in its order, then by the keys
// of their level. The table must outlive the tree.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

struct RowNode {
  u32 level = 0;
  u32 row = 0;  // any row below it; supplies the texts of its level's keys
  std::vector<u32> children;
};

class RowTree {
 public:
  // `levels`: the table's keys, from the root down.
  RowTree(const RowTable& table, std::vector<std::vector<SortKey>> levels);
  // Includes only these rows.
  RowTree(const RowTable& table, std::vector<std::vector<SortKey>> levels, std::span<const u32> rows);

  const RowTable& table() const { return table_; }
  const std::vector<std::vector<SortKey>>& levels() const { return levels_; }
  std::span<const u32> roots() const { return roots_; }
  const RowNode& node(u32 id) const { return nodes_[id]; }
  u64 value(u32 id, Metric metric, std::size_t member = 0) const;
  // The size of the node, as for rows.
  u64 weight(u32 id) const { return value(id, Metric::Overhead); }

 private:
  std::size_t place_of(Metric metric) const;
  u64 addend(const Row& row, Metric metric, std::size_t member) const;
  void add_row(u32 row);
  u32 find_or_add(u32 parent, u32 level, u32 row);
  void append_identity(std::vector<u64>& to, const Row& row, SortKey key) const;
  std::vector<u64> identity(u32 parent, u32 level, u32 row) const;
  void sort(std::vector<u32>& siblings);

  const RowTable& table_;
  std::vector<std::vector<SortKey>> levels_;
  std::vector<Metric> metrics_;
  std::vector<RowNode> nodes_;
  std::vector<u64> values_;  // by node, metric, member
  std::vector<u32> roots_;
  std::vector<std::vector<u64>> identities_;  // by node
  FlatIndex index_;
};

}  // namespace peregrine
