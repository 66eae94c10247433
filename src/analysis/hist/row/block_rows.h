// BlockRows: the rows of report --total-cycles as numbers and names, for its table, CSV and JSON.
//
// Built from a RowTable with the keys addr_from and addr_to, the begin and end of a block: a row's period is its
// cycles, its samples are its executions. The table must outlive this.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/row/row_table.h"
#include "base/types.h"

namespace peregrine {

struct BlockRow {
  double share = 0;  // percentage of all blocks' cycles
  u64 cycles = 0;
  double mean_share = 0;  // percentage of the sum of all means
  u64 mean = 0;           // cycles per run
  u64 runs = 0;
  std::string start, end;  // source lines, or "main+0x12", or addresses
  std::string_view dso;
};

// The begin or end of a block: its source line if known, else function and offset, else address.
std::string block_end_text(const FaceTable& faces, const FrameLook& look);

std::vector<BlockRow> block_rows(const RowTable& table);

}  // namespace peregrine
