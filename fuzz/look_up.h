// Queries a table of call frame information as an unwinder does, for every few addresses of a range.
#pragma once
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

inline void look_up(const CfiTable& table, u64 first, u64 end, u64 step) {
  for (u64 address = first; address < end; address += step) {
    const CfiRules* rules = table.find(address);
    if (rules == nullptr) continue;
    if (rules->cfa_register == CfiRules::kExpression) table.expression(rules->cfa_value);
    for (const CfiRegisterRule& rule : table.registers(*rules)) {
      if (rule.kind == CfiRuleKind::AtExpression || rule.kind == CfiRuleKind::IsExpression) {
        table.expression(rule.value);
      }
    }
  }
}

}  // namespace peregrine
