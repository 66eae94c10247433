#include "symbol/cfi/cfi_table_image.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

// Must change when the layout or the output of compile_cfi() for the same file changes.
constexpr u64 kTableVersion = 0x3130697366636770;  // "pgcfsi10"

u64 pack(const CfiRegisterRule& rule) {
  return (u64{static_cast<u32>(rule.value)} << 32) | (u64{static_cast<u8>(rule.kind)} << 8) | rule.reg;
}

CfiRegisterRule unpack_rule(u64 word) {
  return {static_cast<u8>(word), static_cast<CfiRuleKind>(static_cast<u8>(word >> 8)), static_cast<i32>(word >> 32)};
}

struct PackedSet {
  u32 cfa_value, first;
  u8 cfa_register, return_register, signal_frame, count;
};

}  // namespace

std::string CfiTableImage::encode(const CfiTable& table, u64 sources) {
  PieceWriter writer;
  for (const u64 word : {kTableVersion, sources, table.base_, u64{table.order_ == ByteOrder::Big}, table.skipped_,
                         u64{table.rows_.size()}, u64{table.sets_.size()}, u64{table.registers_.size()},
                         u64{table.expressions_.size()}, u64{table.expression_bytes_.size()}})
    writer.put(word);
  writer.put_all(table.rows_);
  std::vector<PackedSet> sets;
  for (const CfiRules& set : table.sets_) {
    sets.push_back({static_cast<u32>(set.cfa_value), set.first, set.cfa_register, set.return_register,
                    static_cast<u8>(set.signal_frame ? 1 : 0), set.count});
  }
  writer.put_all(sets);
  std::vector<u64> registers;
  for (const CfiRegisterRule& rule : table.registers_) registers.push_back(pack(rule));
  writer.put_all(registers);
  writer.put_all(table.expressions_);
  writer.put_all(table.expression_bytes_);
  return writer.finish();
}

std::optional<CfiTable> CfiTableImage::decode(PieceReader& reader, u64 sources) {
  if (reader.get64() != kTableVersion || reader.get64() != sources) return std::nullopt;
  CfiTable table;
  table.base_ = reader.get64();
  table.order_ = reader.get64() != 0 ? ByteOrder::Big : ByteOrder::Little;
  table.skipped_ = reader.get64();
  const u64 rows = reader.get64(), sets = reader.get64(), registers = reader.get64();
  const u64 expressions = reader.get64(), expression_bytes = reader.get64();
  table.rows_ = reader.get_all<CfiTable::Row>(rows);
  for (const PackedSet& set : reader.get_all<PackedSet>(sets)) {
    table.sets_.push_back({static_cast<i32>(set.cfa_value), set.cfa_register, set.return_register,
                           set.signal_frame != 0, set.count, set.first});
  }
  for (const u64 word : reader.get_all<u64>(registers)) table.registers_.push_back(unpack_rule(word));
  table.expressions_ = reader.get_all<CfiTable::Range>(expressions);
  table.expression_bytes_ = reader.get_all<std::byte>(expression_bytes);
  if (!reader.ends_well() || !is_sound(table)) return std::nullopt;
  table.index_pages();
  return table;
}

bool CfiTableImage::is_sound(const CfiTable& table) {
  for (const CfiTable::Range& range : table.expressions_) {
    if (range.offset > table.expression_bytes_.size() || range.size > table.expression_bytes_.size() - range.offset)
      return false;
  }
  if (!std::ranges::all_of(table.registers_, [&](const CfiRegisterRule& rule) { return is_sound(table, rule); }))
    return false;
  for (const CfiRules& set : table.sets_) {
    if (set.first > table.registers_.size() || set.count > table.registers_.size() - set.first) return false;
    if (set.return_register >= kCfiRegisters) return false;
    if (set.cfa_register == CfiRules::kExpression ? static_cast<u32>(set.cfa_value) >= table.expressions_.size()
                                                  : set.cfa_register >= kCfiRegisters)
      return false;
  }
  const auto is_set = [&](u32 set) { return set == CfiTable::kNone || set < table.sets_.size(); };
  const auto& rows = table.rows_;
  if (!std::ranges::all_of(rows, is_set, &CfiTable::Row::set)) return false;
  if (!rows.empty() && rows.back().set != CfiTable::kNone) return false;
  return std::ranges::adjacent_find(rows, std::greater_equal(), &CfiTable::Row::start) == rows.end();
}

bool CfiTableImage::is_sound(const CfiTable& table, const CfiRegisterRule& rule) {
  if (rule.reg >= kCfiRegisters || rule.kind > CfiRuleKind::IsExpression) return false;
  const auto value = static_cast<u32>(rule.value);
  switch (rule.kind) {
    case CfiRuleKind::InRegister:
      return value < kCfiRegisters;
    case CfiRuleKind::AtExpression:
    case CfiRuleKind::IsExpression:
      return value < table.expressions_.size();
    case CfiRuleKind::SameValue:
    case CfiRuleKind::Undefined:
    case CfiRuleKind::AtOffset:
    case CfiRuleKind::IsOffset:
      break;
  }
  return true;
}

}  // namespace peregrine
