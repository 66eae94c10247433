// CfiTable: how to get from a frame to its caller, for every address of one binary, compiled from its CFI.
//
//   rows_    0x1020  0x1021  0x1024  0x10f0 …     where rules begin to hold: sorted, relative to base_
//               3       7       9      none …     which: indices into sets_, each distinct set of rules kept once
//   pages_   the last row not behind each multiple of a power of two: a search looks at few rows, which lie together
//
// Real binaries have many rows and few distinct sets (libc: 22,000 rows, 600 sets), so a row costs eight bytes whatever
// it says. Built by CfiTableBuilder, or read back by CfiTableImage; const afterwards, so any number of threads may ask.
// Addresses are virtual ones.
#pragma once
#include <span>
#include <vector>

#include "base/bytes.h"

namespace peregrine {

enum class CfiRuleKind : u8 {
  SameValue,     // the caller's value is the frame's own; also what holds for a register without a rule
  Undefined,     // lost; of the return register: nobody called
  AtOffset,      // saved in memory at CFA + value
  IsOffset,      // CFA + value itself
  InRegister,    // in register `value`
  AtExpression,  // saved in memory where expression `value` says
  IsExpression,  // what expression `value` says
};

struct CfiRegisterRule {
  u8 reg = 0;  // DWARF number
  CfiRuleKind kind = CfiRuleKind::SameValue;
  i32 value = 0;
  friend bool operator==(const CfiRegisterRule&, const CfiRegisterRule&) = default;
};

// DWARF numbers below this are followed: general registers, stack pointer and return address of x86 and arm64.
inline constexpr unsigned kCfiRegisters = 35;

struct CfiRules {
  static constexpr u8 kExpression = 0xff;
  i32 cfa_value = 0;       // offset, or an expression
  u8 cfa_register = 0;     // or kExpression
  u8 return_register = 0;  // whose rule gives the caller's pc
  bool signal_frame = false;
  u8 count = 0;   // of register rules, ascending by register
  u32 first = 0;  // of them
};

class CfiTable {
 public:
  // The rules that hold at an address; null when no CFI covers it. Valid as long as the table.
  const CfiRules* find(u64 address) const { return find_both(address).at; }
  // At an address, and at the byte before it, which is where a call that returns there ends.
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
  // Entries that made no sense, and code beyond the reach of 32 bits.
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
