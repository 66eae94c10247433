#include "output/text/diff/block_diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {
namespace {

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

// Aligned in columns, or separated by `separator` if it is not empty.
TextTable table_of(std::span<const ComparedBlock> blocks, std::size_t sides, bool spread,
                   const std::string& separator) {
  const bool plain = separator.empty();
  std::vector<TextColumn> columns;
  const auto add = [&](std::string title, std::size_t width, Align align = Align::Right) {
    const std::string before = plain ? "  " : columns.empty() ? "" : separator;
    columns.push_back({.title = std::move(title), .width = plain ? width : 0, .align = align, .before = before});
  };
  add("Baseline", 8);
  for (std::size_t side = 1; side < sides; ++side) {
    const std::string end = sides > 2 ? fmt::format("/{}", side) : std::string();
    add("[Program Block Range] Cycles Diff" + end, kRangeWidth);
    if (spread) add("stddev/Hist" + end, kSpreadWidth);
  }
  add("Shared Object", 13, Align::Left);
  add("Symbol", 6, Align::Left);
  TextTable table(std::move(columns));
  if (!plain) return table;
  const std::size_t last = table.columns().size() - 1;
  for (const ComparedBlock& block : blocks) {
    table.fit(last - 1, printable(block.dso));
    table.fit(last, "[1] " + printable(block.symbol));
  }
  return table;
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

}  // namespace

void print_block_diff(Sink& out, std::span<const ComparedBlock> blocks, std::size_t sides, const BlockDiffText& style) {
  const TextTable table = table_of(blocks, sides, style.spread, style.separator);
  const bool plain = style.separator.empty();
  if (style.titles && plain)
    table.commented_titles(out);
  else if (style.titles)
    table.titles(out.append("# "));
  for (const ComparedBlock& block : blocks) table.row(out, cells_of(block, sides, style.spread, plain));
}

}  // namespace peregrine
