#include "symbol/cfi/cfi_table_builder.h"

#include <algorithm>
#include <bit>

namespace peregrine {
namespace {

constexpr u64 kReach = 0xffffffffu;
constexpr std::size_t kMaxExpressions = 1u << 20;

std::size_t hash_rules(const CfiRules& rules, std::span<const CfiRegisterRule> registers) {
  constexpr u64 kMultiplier = 0x9e3779b97f4a7c15;
  u64 hash = (u64{static_cast<u32>(rules.cfa_value)} << 32) | (u64{rules.cfa_register} << 16) |
             (u64{rules.return_register} << 8) | (rules.signal_frame ? 1u : 0u);
  for (const CfiRegisterRule& rule : registers) {
    const u64 word = (u64{static_cast<u32>(rule.value)} << 32) | (u64{rule.reg} << 8) | static_cast<u64>(rule.kind);
    hash = (std::rotl(hash, 23) ^ word) * kMultiplier;
  }
  hash *= kMultiplier;
  return hash ^ (hash >> 32);
}

}  // namespace

void CfiTableBuilder::begin(u64 start, u64 size) { runs_.push_back(Run{start, size, rows_.size(), 0}); }

void CfiTableBuilder::row(u64 address, const CfiState& state, u32 return_register, bool signal_frame) {
  const Run& run = runs_.back();
  if (address < run.start || address - run.start >= run.size || address - run.start > kReach) return;
  std::array<CfiRegisterRule, kCfiRegisters> registers;
  CfiRules rules{state.cfa_value, state.cfa_register, static_cast<u8>(return_register), signal_frame, 0, 0};
  for (u64 left = state.set; left != 0; left &= left - 1) {
    const auto reg = static_cast<u8>(std::countr_zero(left));
    registers[rules.count++] = CfiRegisterRule{reg, state.rules[reg].kind, state.rules[reg].value};
  }
  const u32 set = intern(rules, std::span(registers).first(rules.count));
  const auto offset = static_cast<u32>(address - run.start);
  if (rows_.size() > run.first && rows_.back().offset == offset) {
    rows_.back().set = set;
  } else {
    rows_.push_back(Row{offset, set});
  }
}

// Rows ascend by contract of the format; where a hostile file breaks it the run is dropped.
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

u32 CfiTableBuilder::intern(const CfiRules& rules, std::span<const CfiRegisterRule> registers) {
  if ((table_.sets_.size() + 1) * 2 > index_.size()) grow_index();
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = hash_rules(rules, registers) & mask;
  for (; index_[slot] != CfiTable::kNone; slot = (slot + 1) & mask) {
    const CfiRules& known = table_.sets_[index_[slot]];
    if (known.cfa_value == rules.cfa_value && known.cfa_register == rules.cfa_register &&
        known.return_register == rules.return_register && known.signal_frame == rules.signal_frame &&
        std::ranges::equal(table_.registers(known), registers)) {
      return index_[slot];
    }
  }
  const auto set = static_cast<u32>(table_.sets_.size());
  index_[slot] = set;
  table_.sets_.push_back(rules);
  table_.sets_.back().first = static_cast<u32>(table_.registers_.size());
  table_.registers_.insert(table_.registers_.end(), registers.begin(), registers.end());
  return set;
}

void CfiTableBuilder::grow_index() {
  index_.assign(std::max<std::size_t>(1024, index_.size() * 2), CfiTable::kNone);
  const std::size_t mask = index_.size() - 1;
  for (u32 set = 0; set < table_.sets_.size(); ++set) {
    std::size_t slot = hash_rules(table_.sets_[set], table_.registers(table_.sets_[set])) & mask;
    while (index_[slot] != CfiTable::kNone) slot = (slot + 1) & mask;
    index_[slot] = set;
  }
}

// Compilers repeat the last expression, if any: linkers write one for the whole PLT.
i32 CfiTableBuilder::expression(Bytes bytes) {
  auto& known = table_.expressions_;
  for (std::size_t back = 0; back < std::min<std::size_t>(known.size(), 16); ++back) {
    const std::size_t i = known.size() - 1 - back;
    if (std::ranges::equal(table_.expression(static_cast<i32>(i)), bytes)) return static_cast<i32>(i);
  }
  if (known.size() == kMaxExpressions) return 0;
  known.push_back({static_cast<u32>(table_.expression_bytes_.size()), static_cast<u32>(bytes.size())});
  table_.expression_bytes_.insert(table_.expression_bytes_.end(), bytes.begin(), bytes.end());
  return static_cast<i32>(known.size() - 1);
}

CfiTable CfiTableBuilder::build() {
  std::ranges::stable_sort(runs_, {}, &Run::start);
  table_.starts_.reserve(rows_.size() + 1);
  table_.rules_.reserve(rows_.size() + 1);
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
  table_.starts_.shrink_to_fit();
  table_.rules_.shrink_to_fit();
  table_.sets_.shrink_to_fit();
  table_.registers_.shrink_to_fit();
  return std::move(table_);
}

// The rows of a run from address `from` on: the one that holds there takes its place.
void CfiTableBuilder::append(const Run& run, u64 from) {
  const auto rows = std::span(rows_).subspan(run.first, run.count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool over = i + 1 < rows.size() && run.start + rows[i + 1].offset <= from;
    if (!over) append_row(std::max(from, run.start + rows[i].offset), rows[i].set);
  }
}

void CfiTableBuilder::append_row(u64 address, u32 set) {
  if (!table_.rules_.empty() && table_.rules_.back() == set) return;
  const auto start = static_cast<u32>(address - table_.base_);
  if (!table_.starts_.empty() && table_.starts_.back() == start) {
    table_.rules_.back() = set;
    return;
  }
  table_.starts_.push_back(start);
  table_.rules_.push_back(set);
}

}  // namespace peregrine
