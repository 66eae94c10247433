// The order of a RowTable's rows.
//
// To match linux-perf's output, rows are ordered by content first and by the requested columns second, so that ties
// keep the content order.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

// Sort keys of all rows, `stride` numbers per row, compared lexicographically. Rows are in creation order.
struct RowTable::Places {
  std::size_t stride = 0;
  std::vector<u64> values;

  int compare(u32 a, u32 b, std::size_t from = 0, std::size_t to = ~std::size_t{0}) const {
    const u64* x = values.data() + a * stride;
    const u64* y = values.data() + b * stride;
    for (std::size_t i = from; i < std::min(to, stride); ++i)
      if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
  }
};

u64 RowTable::rank_of_frame(const Row& row, KeyKind kind) const {
  const FaceId face(row.face);
  switch (kind) {
    case KeyKind::Dso:
      return faces_.dso_rank(face);
    case KeyKind::Line:
      return faces_.line_rank(face);
    case KeyKind::File:
      return faces_.file_rank(face);
    case KeyKind::DsoSize:
      return faces_.look(face).dso_size;
    case KeyKind::SymbolSize:
      return symbol_size(faces_.look(face));
    default:
      return faces_.symbol_rank(face);
  }
}

u64 RowTable::rank_of(const Row& row, SortKey key) const {
  if (key->source == KeySource::Frame) return rank_of_frame(row, key->kind);
  const KeyValues* values = values_of(key);
  return values == nullptr ? 0 : values->rank[row.group];
}

// The group members that decide the order, most significant first. Children are compared for the leader only. A chosen
// member replaces the leader; if the group has no such member, only the leader counts.
std::vector<std::size_t> RowTable::compared_members(Metric metric) const {
  const std::size_t first = request_.sort_member;
  if (metric == Metric::OverheadChildren || first >= members()) return {0};
  std::vector<std::size_t> result{first};
  for (std::size_t member = 1; member < members(); ++member)
    if (member != first) result.push_back(member);
  return result;
}

RowTable::Places RowTable::wanted_places() const {
  Places places;
  for (const Row& row : rows_) {
    for (const Column& column : request_.columns.order) {
      // Complement sums, so that the largest comes first.
      if (!column.is_metric)
        places.values.push_back(rank_of(row, column.key));
      else
        for (const std::size_t member : compared_members(column.metric))
          places.values.push_back(~value(row, column.metric, member));
    }
    if (places.stride == 0) places.values.reserve(rows_.size() * (places.stride = places.values.size()));
  }
  return places;
}

// By content alone: the order in which linux-perf visits the rows.
RowTable::Places RowTable::content_places() const {
  Places places;
  // linux-perf compares addresses as signed numbers, so the kernel's come first.
  const auto address = [](u64 value) { return value ^ u64 { 1 } << 63; };
  for (const Row& row : rows_) {
    const FrameLook& look = faces_.look(FaceId(row.face));
    const u64 dso = faces_.dso_rank(FaceId(row.face));
    for (const Column& column : request_.columns.order) {
      if (column.is_metric) continue;
      if (column.key != SortKey::Symbol) {
        places.values.push_back(rank_of(row, column.key));
        continue;
      }
      const bool resolved = look.symbol.valid();
      places.values.insert(places.values.end(),
                           {resolved ? u64{0} : 1, resolved ? dso : 0, address(look.start), address(look.end)});
    }
    // Functions inlined into one symbol share its addresses, so compare their names too.
    places.values.insert(places.values.end(), {dso, faces_.symbol_rank(FaceId(row.face))});
    if (places.stride == 0) places.values.reserve(rows_.size() * (places.stride = places.values.size()));
  }
  return places;
}

// The order of rows after inserting them one by one into a search tree. The comparison of callers and callees is not a
// strict weak order (a < b, b < c, c < a if their threads differ), so std::sort would be undefined. Inserting the rows
// into a tree still ends, is deterministic, and gives linux-perf's order.
std::vector<u32> RowTable::insertion_order(const std::vector<u32>& by_content, const Places& wanted) const {
  const auto found = std::ranges::find(request_.columns.order, column_of(Metric::OverheadChildren));
  // Number of keys up to and including the children's sum. A metric takes one key per compared member.
  std::size_t until = 0;
  for (auto at = request_.columns.order.begin(); at != found; ++at)
    until += at->is_metric ? compared_members(at->metric).size() : 1;
  if (found != request_.columns.order.end()) ++until;
  const bool caller = request_.chain_order == ChainOrder::Caller;
  const auto before = [&](u32 a, u32 b) {
    if (const int result = wanted.compare(a, b, 0, until)) return result < 0;
    // Among rows with equal sums, the one with the deeper chain comes first, so that callers precede callees.
    if (until != 0 && rows_[a].thread == rows_[b].thread && rows_[a].depth != rows_[b].depth)
      return (rows_[a].depth > rows_[b].depth) == caller;
    return wanted.compare(a, b, until) < 0;
  };
  std::multiset<u32, decltype(before)> tree(before);
  for (const u32 row : by_content) tree.insert(row);
  return {tree.begin(), tree.end()};
}

void RowTable::sort_rows() {
  std::vector<u32> by_rank(rows_.size());
  std::iota(by_rank.begin(), by_rank.end(), 0u);
  {
    const Places content = content_places();
    std::ranges::sort(by_rank, [&](u32 a, u32 b) { return content.compare(a, b) < 0; });
  }
  const Places wanted = wanted_places();
  if (request_.children && request_.with_chains) {
    by_rank = insertion_order(by_rank, wanted);
  } else {
    std::vector<u32> content(rows_.size());
    for (u32 at = 0; at < by_rank.size(); ++at) content[by_rank[at]] = at;
    std::ranges::sort(by_rank, [&](u32 a, u32 b) {
      const int result = wanted.compare(a, b);
      return result != 0 ? result < 0 : content[a] < content[b];
    });
  }
  std::vector<Row> sorted;
  std::vector<u32> place(rows_.size(), kNoRow);
  sorted.reserve(rows_.size());
  for (const u32 from : by_rank) {
    place[from] = static_cast<u32>(sorted.size());
    sorted.push_back(rows_[from]);
  }
  rows_ = std::move(sorted);
  for (u32& row : own_row_)
    if (row != kNoRow) row = place[row];
  index_.release();
}

}  // namespace peregrine
