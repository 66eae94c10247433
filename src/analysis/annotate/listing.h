// Listing: one symbol as lines of assembly, each with its addresses named, and with the source that it was made from.
//
// Made of bytes by a Disassembler, or of what an objdump printed. Knows nothing of samples: a line says which offsets
// it covers, and hits are looked up by them.
#pragma once
#include <string>
#include <vector>

#include "analysis/annotate/symbol_code.h"
#include "insn/disassembler.h"

namespace peregrine {

// A line of source, or where only its place is known, that.
struct SourceRow {
  u32 number = 0;    // 0: a remark without number
  std::string text;  // as in the file, without newline
};

struct ListingLine {
  Instruction code;
  u64 offset = 0;                 // from the symbol's start
  std::string target;             // of a jump or call: "work+0x60"; empty: unknown
  std::string data;               // of an operand relative to the instruction pointer, likewise
  bool inside = false;            // a jump or call to this symbol
  std::string place;              // "/usr/src/work.c:8"; empty: unknown
  std::string data_type;          // "struct foo +0x8 (next)": what it touches; empty: unknown, or not asked for
  std::vector<SourceRow> source;  // what is shown before it
};

struct Listing {
  std::string symbol;  // as shown
  SymbolCode code;
  std::vector<ListingLine> lines;
};

// How addresses are named; the machine room's symbols in programs, a table in tests.
class CodeNames {
 public:
  virtual ~CodeNames() = default;
  // "work+0x60", "strlen@plt"; empty for an unknown address.
  virtual std::string name(u64 address) = 0;
};

// Of what another program has decoded.
Listing make_listing(std::string symbol, SymbolCode code, std::vector<Instruction> instructions, CodeNames& names);
Listing make_listing(std::string symbol, SymbolCode code, Disassembler& disassembler, CodeNames& names);

}  // namespace peregrine
