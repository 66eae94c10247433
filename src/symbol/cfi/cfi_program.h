// CfiProgram: executes the instructions of one CIE and FDE and hands the builder a row per change.
//
// DWARF 5, 6.4.2, with the GNU and arm64 extensions. An unknown instruction ends the FDE; the rows before it are kept.
#pragma once
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_reader.h"
#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/cfi/cfi_table_builder.h"

namespace peregrine {

class CfiProgram {
 public:
  CfiProgram(const CfiSource& source, CfiTableBuilder& builder) : source_(source), builder_(builder) {}

  // Returns false on an invalid instruction.
  bool run(const CfiCie& cie, const CfiFde& fde);

 private:
  // The rules defined by a CIE's instructions, for all of its FDEs; a hostile file may have thousands of FDEs that
  // share a CIE of kilobytes.
  struct Initial {
    CfiState state;
    bool whole = false;
  };
  const Initial& initial_of(const CfiCie& cie);
  bool follow(Bytes instructions, bool initial);
  bool step(CfiReader& reader, u8 operation);
  bool step_extended(CfiReader& reader, u8 operation);
  bool step_cfa(CfiReader& reader, u8 operation);
  bool set_location(CfiReader& reader);
  bool advance(u64 delta);
  bool advance_to(u64 location);
  bool put_scaled(u64 reg, CfiRuleKind kind, i64 factor);
  bool put_register(u64 reg, u64 from);
  bool put_expression(u64 reg, CfiRuleKind kind, CfiReader& reader);
  bool define_cfa(u64 reg, i64 offset);
  bool define_cfa_offset(i64 offset);
  bool restore(u64 reg);
  void emit();

  const CfiSource& source_;
  CfiTableBuilder& builder_;
  const CfiCie* cie_ = nullptr;
  Bytes instructions_;  // being executed
  u64 location_ = 0;
  bool initial_ = false;
  CfiState state_, initial_state_;
  std::vector<CfiState> remembered_;
  std::unordered_map<const std::byte*, Initial> initials_;  // by the start of the CIE's instructions
};

}  // namespace peregrine
