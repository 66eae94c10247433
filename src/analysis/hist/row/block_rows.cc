#include "analysis/hist/row/block_rows.h"

#include <fmt/format.h>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "base/percent.h"
#include "base/types.h"

namespace peregrine {

std::string block_end_text(const FaceTable& faces, const FrameLook& look) {
  if (look.line.valid() && look.file.valid() && !faces.text(look.file).empty())
    return std::string(faces.text(look.line));
  if (look.symbol.valid()) return fmt::format("{}+{:#x}", faces.text(look.symbol), look.address - look.start);
  return fmt::format("{:#x}", look.address);
}

namespace {

u64 mean_of(const RowSums& sums) { return sums.samples == 0 ? 0 : sums.period / sums.samples; }
}  // namespace

std::vector<BlockRow> block_rows(const RowTable& table) {
  u64 cycles = 0, means = 0;
  for (const Row& row : table.rows()) {
    cycles += table.sums(row).period;
    means += mean_of(table.sums(row));
  }
  std::vector<BlockRow> rows;
  for (const Row& row : table.rows()) {
    const RowSums& sums = table.sums(row);
    const FrameLook& start = table.data_look(row, SortKey::AddressFrom);
    rows.push_back({.share = percent_of(sums.period, cycles),
                    .cycles = sums.period,
                    .mean_share = percent_of(mean_of(sums), means),
                    .mean = mean_of(sums),
                    .runs = sums.samples,
                    .start = block_end_text(table.faces(), start),
                    .end = block_end_text(table.faces(), table.data_look(row, SortKey::AddressTo)),
                    .dso = table.faces().text(start.dso)});
  }
  return rows;
}

}  // namespace peregrine
