#include "symbol/cfi/cfi_table_builder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u64 kReach = 0xffffffffu;
constexpr std::size_t kMaxExpressions = 1u << 20, kMaxExpressionBytes = 64u << 20;

u64 hash_rules(const CfiRules& rules, const CfiState& state) {
  constexpr u64 kMultiplier = 0x9e3779b97f4a7c15;
  const u64 word = (u64{static_cast<u32>(rules.cfa_value)} << 32) | (u64{rules.cfa_register} << 16) |
                   (u64{rules.return_register} << 8) | (rules.signal_frame ? 1u : 0u);
  const u64 hash = (word ^ state.hash) * kMultiplier;
  return hash ^ (hash >> 32);
}

}  // namespace

void CfiTableBuilder::begin(u64 start, u64 size) { runs_.push_back(Run{start, size, rows_.size(), 0}); }

// Compilers emit about four bytes per row. Reserving too much is cheap: untouched memory is not allocated.
void CfiTableBuilder::expect(std::size_t bytes) { rows_.reserve(rows_.size() + bytes / 4); }

void CfiTableBuilder::row(u64 address, const CfiState& state, u32 return_register, bool signal_frame) {
  const Run& run = runs_.back();
  if (address < run.start || address - run.start >= run.size || address - run.start > kReach) return;
  const CfiRules rules{state.cfa_value,
                       state.cfa_register,
                       static_cast<u8>(return_register),
                       signal_frame,
                       static_cast<u8>(std::popcount(state.set)),
                       0};
  const u32 set = intern(rules, state);
  const auto offset = static_cast<u32>(address - run.start);
  if (rows_.size() > run.first && rows_.back().offset == offset) {
    rows_.back().set = set;
  } else {
    rows_.push_back(Row{offset, set});
  }
}

// The format requires ascending rows; drops the run if a hostile file violates that.
void CfiTableBuilder::end() {
  Run& run = runs_.back();
  run.count = rows_.size() - run.first;
  const auto rows = std::span(rows_).subspan(run.first);
  if (rows.empty() || run.size > kReach || !std::ranges::is_sorted(rows, {}, &Row::offset)) {
    rows_.resize(run.first);
    runs_.pop_back();
    ++table_.skipped_;
  }
}

u32 CfiTableBuilder::intern(const CfiRules& rules, const CfiState& state) {
  if ((table_.sets_.size() + 1) * 2 > index_.size()) grow_index();
  const std::size_t mask = index_.size() - 1;
  const auto hash = static_cast<u32>(hash_rules(rules, state));
  std::size_t at = hash & mask;
  for (; index_[at].set != CfiTable::kNone; at = (at + 1) & mask) {
    if (index_[at].hash == hash && is_of(table_.sets_[index_[at].set], rules, state)) return index_[at].set;
  }
  const auto set = static_cast<u32>(table_.sets_.size());
  index_[at] = Slot{hash, set};
  table_.sets_.push_back(rules);
  table_.sets_.back().first = static_cast<u32>(table_.registers_.size());
  for (u64 left = state.set; left != 0; left &= left - 1) {
    const auto reg = static_cast<u8>(std::countr_zero(left));
    table_.registers_.push_back(CfiRegisterRule{reg, state.rules[reg].kind, state.rules[reg].value});
  }
  return set;
}

bool CfiTableBuilder::is_of(const CfiRules& known, const CfiRules& rules, const CfiState& state) const {
  if (known.cfa_value != rules.cfa_value || known.cfa_register != rules.cfa_register || known.count != rules.count ||
      known.return_register != rules.return_register || known.signal_frame != rules.signal_frame)
    return false;
  return std::ranges::all_of(table_.registers(known), [&](const CfiRegisterRule& rule) {
    const CfiState::Rule& mine = state.rules[rule.reg];
    return (state.set >> rule.reg & 1) != 0 && mine.kind == rule.kind && mine.value == rule.value;
  });
}

void CfiTableBuilder::grow_index() {
  std::vector<Slot> old(std::max<std::size_t>(1024, index_.size() * 2));
  old.swap(index_);
  const std::size_t mask = index_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.set == CfiTable::kNone) continue;
    std::size_t at = slot.hash & mask;
    while (index_[at].set != CfiTable::kNone) at = (at + 1) & mask;
    index_[at] = slot;
  }
}

// Searches only the latest expressions: repetitions are close together, such as the one that linkers write for a PLT.
std::optional<i32> CfiTableBuilder::expression(Bytes bytes) {
  auto& known = table_.expressions_;
  for (std::size_t back = 0; back < std::min<std::size_t>(known.size(), 16); ++back) {
    const std::size_t i = known.size() - 1 - back;
    if (std::ranges::equal(table_.expression(static_cast<i32>(i)), bytes)) return static_cast<i32>(i);
  }
  if (known.size() == kMaxExpressions || table_.expression_bytes_.size() + bytes.size() > kMaxExpressionBytes)
    return std::nullopt;
  known.push_back({static_cast<u32>(table_.expression_bytes_.size()), static_cast<u32>(bytes.size())});
  table_.expression_bytes_.insert(table_.expression_bytes_.end(), bytes.begin(), bytes.end());
  return static_cast<i32>(known.size() - 1);
}

CfiTable CfiTableBuilder::build() {
  if (!std::ranges::is_sorted(runs_, {}, &Run::start)) std::ranges::stable_sort(runs_, {}, &Run::start);
  table_.rows_.reserve(rows_.size() + runs_.size() + 1);
  table_.base_ = runs_.empty() ? 0 : runs_.front().start;
  u64 covered = table_.base_;
  for (const Run& run : runs_) {
    const u64 end = run.start + run.size;
    if (end <= covered) continue;
    if (end - table_.base_ > kReach) {
      ++table_.skipped_;
      continue;
    }
    if (run.start > covered) append_row(covered, CfiTable::kNone);
    append(run, std::max(run.start, covered));
    covered = end;
  }
  if (!runs_.empty()) append_row(covered, CfiTable::kNone);
  table_.index_pages();
  return std::move(table_);
}

// Appends the rows of a run from address `from` on; the row in effect at `from` is moved there.
void CfiTableBuilder::append(const Run& run, u64 from) {
  const auto rows = std::span(rows_).subspan(run.first, run.count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool over = i + 1 < rows.size() && run.start + rows[i + 1].offset <= from;
    if (!over) append_row(std::max(from, run.start + rows[i].offset), rows[i].set);
  }
}

void CfiTableBuilder::append_row(u64 address, u32 set) {
  auto& rows = table_.rows_;
  if (!rows.empty() && rows.back().set == set) return;
  const auto start = static_cast<u32>(address - table_.base_);
  if (!rows.empty() && rows.back().start == start) {
    rows.back().set = set;
    return;
  }
  rows.push_back({start, set});
}

}  // namespace peregrine
