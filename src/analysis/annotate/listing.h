// Listing: one symbol as lines of assembly with symbolic addresses and source lines.
//
// Built from bytes by a Disassembler, or from objdump's output. It contains no samples: each line covers a range of
// offsets, by which hits are looked up.
#pragma once
#include <string>
#include <vector>

#include "analysis/annotate/symbol_code.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {

// A source line, or only its place if the text is unavailable.
struct SourceRow {
  u32 number = 0;    // 0: a remark
  std::string text;  // as in the file, without newline
};

struct ListingLine {
  Instruction code;
  u64 offset = 0;                 // from the symbol's start
  std::string target;             // of a jump or call: "work+0x60"; empty if unknown
  std::string data;               // of a pc-relative operand, likewise
  bool inside = false;            // a jump or call within this symbol
  std::string place;              // "/usr/src/work.c:8"; empty if unknown
  std::string data_type;          // accessed data: "struct foo +0x8 (next)"; empty if unknown or not requested
  std::vector<SourceRow> source;  // shown before the instruction
};

struct Listing {
  std::string symbol;  // as shown
  SymbolCode code;
  std::vector<ListingLine> lines;
};

// Names addresses: the machine room's symbols in programs, a table in tests.
class CodeNames {
 public:
  virtual ~CodeNames() = default;
  // "work+0x60", "strlen@plt"; empty for an unknown address.
  virtual std::string name(u64 address) = 0;
};

// From instructions that another program decoded.
Listing make_listing(std::string symbol, SymbolCode code, std::vector<Instruction> instructions, CodeNames& names);
Listing make_listing(std::string symbol, SymbolCode code, Disassembler& disassembler, CodeNames& names);

}  // namespace peregrine
