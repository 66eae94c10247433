// LineTable: the rows of one unit's line program and the files they refer to.
//
//   read_line_header()   parses directories, files and the program's offset
//   LineTable::run()     executes it: rows by address, sequences sorted, overlaps clipped
//
// Drops rows of code that the linker discarded (address 0 etc.). Immutable afterwards.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/form.h"

namespace peregrine {

struct LineFile {
  std::string_view name;
  u64 directory = 0;
};

struct LineHeader {
  UnitFormat format;
  u64 program = 0;  // offset of the first instruction
  u64 end = 0;
  u8 least_instruction = 1, operations = 1;
  bool statement_at_first = true;
  i8 line_base = 0;
  u8 line_range = 1;
  u8 first_special = 1;
  std::vector<u8> operand_counts;  // of the standard opcodes, from 1 on
  std::vector<std::string_view> directories;
  std::vector<LineFile> files;  // indexed by the program's file number

  // Full path; empty for an unknown file.
  std::string path(u64 file, std::string_view compilation_folder) const;
};

// Text lives as long as the file.
Result<LineHeader> read_line_header(const DwarfUnit& unit, u64 offset);

class LineTable {
 public:
  struct Row {
    u64 address = 0;
    u32 file = kNoFile;
    u32 line : 30 = 0;
    u32 is_statement : 1 = 0;
    u32 ends_prologue : 1 = 0;  // end of the prologue: arguments are in their final locations
  };
  static constexpr u32 kNoFile = 0xffffffffu;

  static LineTable run(const DwarfUnit& unit, const LineHeader& header);

  // The row that covers `address`; nullptr if none.
  const Row* find(u64 address) const;
  // Rows without a file mark gaps in the code.
  std::vector<Row>& rows() { return rows_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace peregrine
