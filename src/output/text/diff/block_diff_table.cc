#include "output/text/diff/block_diff_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "output/text/format/printable.h"

namespace peregrine {
namespace {

struct CellColumn {
  std::string title;
  unsigned width = 0;
  bool left = false;
};

constexpr unsigned kRangeWidth = 70, kSpreadWidth = 20, kBars = 8;

// Eight bars, from the fewest cycles to the most. The height is the number of runs that took that long.
std::string bars_of(const CycleCounts& counts) {
  constexpr std::array<std::string_view, 9> kBar{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (counts.counts.empty()) return {};
  const u64 low = counts.counts.front().first, span = counts.counts.back().first - low + 1;
  std::array<u64, kBars> times{};
  for (const auto& [cycles, often] : counts.counts) times[(cycles - low) * kBars / span] += often;
  const u64 most = std::ranges::max(times);
  std::string text;
  for (const u64 often : times) text += kBar[often == 0 ? 0 : 1 + often * (kBar.size() - 2) / most];
  return text;
}

std::string range_text(const ComparedBlock& block, std::size_t side) {
  const std::string range = fmt::format("[{} -> {}]", printable(block.start), printable(block.end));
  return block.has(side) ? fmt::format("{} {:4}", range, block.change(side)) : range;
}

std::string spread_text(const ComparedBlock& block, std::size_t side) {
  return block.has(side) ? fmt::format("±{:5.1f}% {}", block.error(side), bars_of(block.sides[side])) : std::string();
}

std::vector<CellColumn> columns_of(std::span<const ComparedBlock> blocks, std::size_t sides, bool spread) {
  std::vector<CellColumn> columns{{"Baseline", 8}};
  for (std::size_t side = 1; side < sides; ++side) {
    const std::string end = sides > 2 ? fmt::format("/{}", side) : std::string();
    columns.push_back({"[Program Block Range] Cycles Diff" + end, kRangeWidth});
    if (spread) columns.push_back({"stddev/Hist" + end, kSpreadWidth});
  }
  columns.push_back({"Shared Object", 13, true});
  columns.push_back({"Symbol", 6, true});
  for (const ComparedBlock& block : blocks) {
    CellColumn &dso = columns[columns.size() - 2], &symbol = columns.back();
    dso.width = std::max(dso.width, static_cast<unsigned>(display_width(printable(block.dso))));
    symbol.width = std::max(symbol.width, 4 + static_cast<unsigned>(display_width(printable(block.symbol))));
  }
  return columns;
}

std::vector<std::string> cells_of(const ComparedBlock& block, std::size_t sides, bool spread, bool plain) {
  std::vector<std::string> cells{fmt::format("{:.2f}{}", block.share, plain ? "%" : "")};
  for (std::size_t side = 1; side < sides; ++side) {
    cells.push_back(range_text(block, side));
    if (spread) cells.push_back(spread_text(block, side));
  }
  cells.push_back(printable(block.dso));
  cells.push_back(fmt::format("[{}] {}", block.level, printable(block.symbol)));
  return cells;
}

void print_line(Sink& out, std::string_view begin, const std::vector<CellColumn>& columns,
                const std::vector<std::string>& cells, std::string_view separator) {
  out.append(begin);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool plain = separator.empty();
    if (i > 0) out.append(plain ? std::string_view("  ") : separator);
    const std::size_t width = display_width(cells[i]),
                      pad = plain && width < columns[i].width ? columns[i].width - width : 0;
    if (!columns[i].left) out.fill(' ', static_cast<unsigned>(pad));
    out.append(cells[i]);
    if (columns[i].left) out.fill(' ', static_cast<unsigned>(pad));
  }
  out.append('\n');
}

}  // namespace

void print_block_diff(Sink& out, std::span<const ComparedBlock> blocks, std::size_t sides, const BlockDiffText& style) {
  const std::vector<CellColumn> columns = columns_of(blocks, sides, style.spread);
  const bool plain = style.separator.empty();
  if (style.titles) {
    std::vector<std::string> titles, rules;
    for (const CellColumn& column : columns) {
      titles.push_back(column.title);
      rules.emplace_back(column.width, '.');
    }
    print_line(out, "# ", columns, titles, style.separator);
    if (plain) print_line(out, "# ", columns, rules, style.separator);
    if (plain) out.append("#\n");
  }
  for (const ComparedBlock& block : blocks)
    print_line(out, plain ? "  " : "", columns, cells_of(block, sides, style.spread, plain), style.separator);
}

}  // namespace peregrine
