// BlockRows: the rows of report --total-cycles as numbers and names: what its table, CSV and JSON say of each block of
// code.
//
// Rows come from a RowTable of the keys addr_from and addr_to, which say where a block begins and ends: a row's period
// is its cycles, its samples are how often it ran. The table must outlive it.
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/row/row_table.h"

namespace peregrine {

struct BlockRow {
  double share = 0;  // percent of all blocks' cycles
  u64 cycles = 0;
  double mean_share = 0;  // percent of the sum of all means
  u64 mean = 0;           // cycles of one run
  u64 runs = 0;
  std::string start, end;  // source lines, or "main+0x12", or addresses
  std::string_view dso;
};

// Where a block begins or ends: its source line, where it has one, else its function and offset, else its address.
std::string block_end_text(const FaceTable& faces, const FrameLook& look);

std::vector<BlockRow> block_rows(const RowTable& table);

}  // namespace peregrine
