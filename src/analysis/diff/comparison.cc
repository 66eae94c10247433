#include "analysis/diff/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "base/types.h"
#include "symbol/table/function_extent.h"

namespace peregrine {
namespace {

constexpr double kFalseShare = 0.05;  // accepted share of false positives among changes called real

// The value of one sort key for a row, comparable between recordings.
struct KeyPart {
  bool unknown = false;  // known values sort before unknown ones
  i64 number = 0;
  std::string_view text;
  friend auto operator<=>(const KeyPart&, const KeyPart&) = default;
};

struct Entry {
  std::vector<KeyPart> key;
  i64 address = 0;  // among rows with equal keys, the one at the lowest address is shown
  u32 side = 0, row = 0;
};

using Names = std::span<const std::string>;

KeyPart of_frame(const RowTable& table, KeyKind kind, const FrameLook& look, Names rebuilt) {
  const FaceTable& faces = table.faces();
  switch (kind) {
    case KeyKind::Line:
      return {.unknown = !look.line.valid(), .text = look.line.valid() ? faces.text(look.line) : std::string_view()};
    case KeyKind::File:
      return {.unknown = !look.file.valid(), .text = look.file.valid() ? faces.text(look.file) : std::string_view()};
    case KeyKind::Dso:
      return {.unknown = !look.mapped, .text = faces.text(look.dso)};
    case KeyKind::DsoSize:
      return {.unknown = look.dso_size == 0, .number = static_cast<i64>(look.dso_size)};
    case KeyKind::SymbolSize:
      return {.unknown = !look.symbol.valid(), .number = static_cast<i64>(symbol_size(look))};
    default:
      break;
  }
  if (!look.symbol.valid()) return {.unknown = true};
  const bool is_rebuilt = std::ranges::find(rebuilt, faces.text(look.dso)) != rebuilt.end();
  if (is_rebuilt && is_unnamed_function(faces.text(look.symbol), look.start)) return {.unknown = true};
  // Identify a place in a function by its offset, which survives relocation.
  const i64 offset = kind == KeyKind::CodePlace ? static_cast<i64>(look.address - look.start) : 0;
  return {.number = offset, .text = faces.text(look.symbol)};
}

KeyPart key_part(const RowTable& table, const Row& row, SortKey key, Names rebuilt) {
  if (key->source != KeySource::Group) return of_frame(table, key->kind, table.look(row, key), rebuilt);
  if (key->kind == KeyKind::Text) return {.text = table.group_text(row, key)};
  return {.number = static_cast<i64>(table.group_value(row, key))};
}

std::vector<Entry> entries_of(const RowTable& table, u32 side, Names rebuilt) {
  std::vector<Entry> entries;
  entries.reserve(table.rows().size());
  for (u32 at = 0; at < table.rows().size(); ++at) {
    const Row& row = table.rows()[at];
    Entry entry{.key = {}, .side = side, .row = at};
    for (const SortKey key : table.request().columns.keys) entry.key.push_back(key_part(table, row, key, rebuilt));
    const FrameLook& look = table.frame_look(row);
    entry.address = static_cast<i64>(look.symbol.valid() ? look.start : look.address);
    entries.push_back(std::move(entry));
  }
  return entries;
}

int sign(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

}  // namespace

Comparison::Comparison(std::vector<const RowTable*> sides, const ComparisonRequest& request)
    : sides_(std::move(sides)), request_(request) {
  for (const RowTable* side : sides_) {
    WholeWeight whole;
    if (side != nullptr) {
      const EventTotals totals = side->hists().totals(side->request().events[0]);
      const bool relative = side->request().relative;
      whole = {side->total_period(), relative ? totals.shown_samples : totals.samples};
    }
    wholes_.push_back(whole);
  }
  totals_ = wholes_;
  join();
  compute();
  sort();
}

void Comparison::join() {
  std::vector<Entry> all;
  for (u32 side = 0; side < sides_.size(); ++side) {
    if (sides_[side] == nullptr) continue;
    std::vector<Entry> entries = entries_of(*sides_[side], side, request_.rebuilt);
    std::ranges::move(entries, std::back_inserter(all));
  }
  std::ranges::sort(all, {},
                    [](const Entry& entry) { return std::tie(entry.key, entry.side, entry.address, entry.row); });
  for (std::size_t at = 0; at < all.size();) {
    ComparedRow row{.weights = std::vector<RowWeight>(sides_.size()),
                    .present = std::vector<bool>(sides_.size()),
                    .changes = std::vector<RowChange>(sides_.size()),
                    .shown_side = all[at].side,
                    .shown_row = all[at].row};
    std::size_t end = at;
    for (; end < all.size() && all[end].key == all[at].key; ++end) {
      const RowSums& sums = sides_[all[end].side]->sums(sides_[all[end].side]->rows()[all[end].row]);
      RowWeight& weight = row.weights[all[end].side];
      weight.period += sums.period;
      weight.samples += sums.samples;
      row.present[all[end].side] = true;
    }
    at = end;
    const bool matched = row.in_baseline() && std::ranges::count(row.present, true) > 1;
    if (matched || !request_.baseline_only) rows_.push_back(std::move(row));
  }
}

void Comparison::compute() {
  for (ComparedRow& row : rows_) {
    for (std::size_t side = 1; side < sides_.size(); ++side) {
      if (!row.present[side]) continue;
      RowChange& change = row.changes[side];
      change.present = true;
      change.value = change_of(request_.rule, row.weights[0], wholes_[0], row.weights[side], wholes_[side]);
    }
  }
  for (std::size_t side = 1; side < sides_.size(); ++side) mark_real(side);
  if (!request_.baseline_only || sides_.empty()) return;
  wholes_[0].period = 0;
  for (const ComparedRow& row : rows_) wholes_[0].period += row.weights[0].period;
}

void Comparison::mark_real(std::size_t side) {
  // Benjamini–Hochberg: limits the share of false positives. Rows that vanished are changes too, so they count as
  // tests.
  std::vector<std::pair<double, std::size_t>> chances;
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    ComparedRow& row = rows_[at];
    if (!row.in_baseline() && !row.present[side]) continue;
    chances.emplace_back(chance_of(row.weights[0], wholes_[0], row.weights[side], wholes_[side]), at);
    row.changes[side].interval =
        interval_of(request_.rule, row.weights[0], wholes_[0], row.weights[side], wholes_[side]);
  }
  std::ranges::sort(chances);
  std::size_t real = 0;
  for (std::size_t rank = 0; rank < chances.size(); ++rank)
    if (chances[rank].first <= kFalseShare * static_cast<double>(rank + 1) / static_cast<double>(chances.size()))
      real = rank + 1;
  for (std::size_t rank = 0; rank < real; ++rank) rows_[chances[rank].second].changes[side].real = true;
}

// Orders by the change in the chosen file, then by the baseline, then by the changes in all files, then by the keys.
// Rows missing from a file come last. If the rule needs a baseline (ratio, weighted), rows missing from the baseline
// come just before them.
void Comparison::sort() {
  const bool signless = request_.rule.kind == ChangeKind::DeltaAbsolute;
  const bool needs_baseline = request_.rule.kind == ChangeKind::Ratio || request_.rule.kind == ChangeKind::Weighted;
  const auto compare = [&](const ComparedRow& a, const ComparedRow& b, std::size_t side, bool leading) {
    const RowChange& x = a.changes[side];
    const RowChange& y = b.changes[side];
    if (!x.present || !y.present) return x.present == y.present ? 0 : x.present ? -1 : 1;
    if (needs_baseline && leading && !(a.in_baseline() && b.in_baseline()))
      return a.in_baseline() == b.in_baseline() ? 0 : a.in_baseline() ? -1 : 1;
    return signless ? sign(std::abs(y.value), std::abs(x.value)) : sign(y.value, x.value);
  };
  const auto before = [&](const ComparedRow& a, const ComparedRow& b) {
    if (request_.order != 0)
      if (const int order = compare(a, b, request_.order, true)) return order < 0;
    if (a.weights[0].period != b.weights[0].period) return a.weights[0].period > b.weights[0].period;
    for (std::size_t side = 1; side < sides_.size(); ++side)
      if (const int order = compare(a, b, side, false)) return order < 0;
    return false;
  };
  std::ranges::stable_sort(rows_, before);
}

}  // namespace peregrine
