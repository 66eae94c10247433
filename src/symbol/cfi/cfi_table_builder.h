// CfiTableBuilder: collects the rows of all functions in any order and builds the sorted CfiTable.
//
// A run of code is begin(), rows in ascending order, end(). Where runs overlap, the one that starts first wins; if they
// start together, the one added first. Equal rule sets and equal expressions are stored once.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"

namespace peregrine {

// The current rules while instructions are executed.
struct CfiState {
  struct Rule {
    CfiRuleKind kind = CfiRuleKind::SameValue;
    i32 value = 0;
  };
  i32 cfa_value = 0;
  u8 cfa_register = 0;
  u64 set = 0;   // bit n: rules[n] is not SameValue
  u64 hash = 0;  // sum of the hashes of the rules in `set`
  std::array<Rule, kCfiRegisters> rules;

  void put(u64 reg, CfiRuleKind kind, i32 value = 0) {
    if (reg >= kCfiRegisters) return;  // a vector register
    const u64 bit = u64{1} << reg;
    if ((set & bit) != 0) hash -= hash_of(reg, rules[reg]);
    rules[reg] = Rule{kind, value};
    set = kind == CfiRuleKind::SameValue ? set & ~bit : set | bit;
    if ((set & bit) != 0) hash += hash_of(reg, rules[reg]);
  }
  static u64 hash_of(u64 reg, const Rule& rule) {
    const u64 word = (u64{static_cast<u32>(rule.value)} << 32) | (reg << 8) | static_cast<u64>(rule.kind);
    const u64 mixed = (word ^ (word >> 29)) * 0x9e3779b97f4a7c15;
    return mixed ^ (mixed >> 31);
  }
};

class CfiTableBuilder {
 public:
  explicit CfiTableBuilder(ByteOrder order) { table_.order_ = order; }

  // Reserves space for that many bytes of instructions.
  void expect(std::size_t bytes);

  void begin(u64 start, u64 size);
  void row(u64 address, const CfiState& state, u32 return_register, bool signal_frame);
  void end();
  // The index of an expression; nothing if there are too many.
  std::optional<i32> expression(Bytes bytes);
  void skipped(u64 count) { table_.skipped_ += count; }

  CfiTable build();

 private:
  struct Row {
    u32 offset, set;  // from the start of the run
  };
  struct Run {
    u64 start, size;
    std::size_t first, count;
  };
  u32 intern(const CfiRules& rules, const CfiState& state);
  bool is_of(const CfiRules& known, const CfiRules& rules, const CfiState& state) const;
  void grow_index();
  void append(const Run& run, u64 from);
  void append_row(u64 address, u32 set);

  CfiTable table_;
  std::vector<Row> rows_;
  std::vector<Run> runs_;
  struct Slot {
    u32 hash = 0, set = CfiTable::kNone;
  };
  std::vector<Slot> index_;  // open addressing over sets_
};

}  // namespace peregrine
