// CfiTable: how to unwind from a frame to its caller at any address of one binary, compiled from its CFI.
//
//   rows_    0x1020  0x1021  0x1024  0x10f0 …     sorted start addresses of rules, relative to base_
//               3       7       9      none …     indices into sets_, which holds each distinct rule set once
//   pages_   last row at or before each multiple of a power of two: narrows a search to a few adjacent rows
//
// Real binaries have many rows and few distinct rule sets (libc: 22,000 rows, 600 sets), so a row takes eight bytes.
// Built by CfiTableBuilder or decoded by CfiTableImage; then immutable and thread safe. Addresses are virtual.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

enum class CfiRuleKind : u8 {
  SameValue,     // unchanged in the caller; the default for registers without a rule
  Undefined,     // lost; for the return register: the outermost frame
  AtOffset,      // saved in memory at CFA + value
  IsOffset,      // CFA + value itself
  InRegister,    // in register `value`
  AtExpression,  // saved in memory at the address that expression `value` yields
  IsExpression,  // the value that expression `value` yields
};

struct CfiRegisterRule {
  u8 reg = 0;  // DWARF number
  CfiRuleKind kind = CfiRuleKind::SameValue;
  i32 value = 0;
  friend bool operator==(const CfiRegisterRule&, const CfiRegisterRule&) = default;
};

// Only registers below this DWARF number are tracked: the general registers, stack pointer and return address of x86
// and arm64.
inline constexpr unsigned kCfiRegisters = 35;

struct CfiRules {
  static constexpr u8 kExpression = 0xff;
  i32 cfa_value = 0;       // offset, or expression index
  u8 cfa_register = 0;     // or kExpression
  u8 return_register = 0;  // its rule yields the caller's pc
  bool signal_frame = false;
  u8 count = 0;   // of register rules, ascending by register
  u32 first = 0;  // index of the first rule
};

class CfiTable {
 public:
  // The rules for an address; null if no CFI covers it. Valid while the table exists.
  const CfiRules* find(u64 address) const { return find_both(address).at; }
  // The rules at an address and at the byte before it: a return address belongs to the call that ends there.
  struct Both {
    const CfiRules *at = nullptr, *before = nullptr;
  };
  Both find_both(u64 address) const;
  std::span<const CfiRegisterRule> registers(const CfiRules& rules) const {
    return std::span(registers_).subspan(rules.first, rules.count);
  }
  // DW_OP_* bytes.
  Bytes expression(i32 index) const;
  ByteOrder order() const { return order_; }

  bool empty() const { return rows_.empty(); }
  std::size_t row_count() const { return rows_.size(); }
  std::size_t set_count() const { return sets_.size(); }
  std::size_t byte_size() const;
  // Invalid entries, and code out of 32-bit range.
  u64 skipped() const { return skipped_; }

 private:
  friend class CfiTableBuilder;
  friend class CfiTableImage;
  static constexpr u32 kNone = 0xffffffffu;
  struct Row {
    u32 start = 0, set = 0;
  };
  const CfiRules* rules_of(std::size_t row) const { return rows_[row].set == kNone ? nullptr : &sets_[rows_[row].set]; }
  struct Range {
    u32 offset = 0, size = 0;
  };
  void index_pages();

  u64 base_ = 0;
  std::vector<Row> rows_;
  std::vector<u32> pages_;
  unsigned page_bits_ = 0;
  std::vector<CfiRules> sets_;
  std::vector<CfiRegisterRule> registers_;
  std::vector<Range> expressions_;
  std::vector<std::byte> expression_bytes_;
  ByteOrder order_ = ByteOrder::Little;
  u64 skipped_ = 0;
};

}  // namespace peregrine
