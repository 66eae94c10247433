#include "output/text/report/block_table.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/hist/row/block_rows.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

struct BlockTitle {
  std::string_view text;
  unsigned width;
};
constexpr std::array kBlockTitles{BlockTitle{"Sampled Cycles%", 15},       BlockTitle{"Sampled Cycles", 14},
                                  BlockTitle{"Avg Cycles%", 11},           BlockTitle{"Avg Cycles", 10},
                                  BlockTitle{"[Program Block Range]", 70}, BlockTitle{"Shared Object", 20}};

std::string short_cycles(u64 cycles) {
  if (cycles >= 1'000'000) return fmt::format("{:.1f}M", static_cast<double>(cycles) / 1e6);
  if (cycles >= 1'000) return fmt::format("{:.1f}K", static_cast<double>(cycles) / 1e3);
  return fmt::format("{}", cycles);
}

void print_line(Sink& out, const TableText& style, const std::array<std::string, kBlockTitles.size()>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (style.separator.empty())
      out.append("  ").right(cells[i], kBlockTitles[i].width);
    else
      out.append(i > 0 ? std::string_view(style.separator) : std::string_view()).append(cells[i]);
  }
  out.append('\n');
}

void print_titles(Sink& out, const TableText& style) {
  const bool plain = style.separator.empty();
  const std::string_view between = plain ? std::string_view("  ") : std::string_view(style.separator);
  out.append("# ");
  for (std::size_t i = 0; i < kBlockTitles.size(); ++i)
    out.append(i > 0 ? between : std::string_view()).right(kBlockTitles[i].text, plain ? kBlockTitles[i].width : 0);
  out.append('\n');
  if (!plain) return;
  out.append("# ");
  for (std::size_t i = 0; i < kBlockTitles.size(); ++i)
    out.append(i > 0 ? between : std::string_view()).fill('.', kBlockTitles[i].width);
  out.append("\n#\n");
}

}  // namespace

void print_blocks(Sink& out, const RowTable& table, const TableText& style) {
  if (style.titles) print_titles(out, style);
  for (const BlockRow& row : block_rows(table)) {
    if (row.share < style.least_percent) continue;
    print_line(out, style,
               {fmt::format("{:.2f}%", row.share), short_cycles(row.cycles), fmt::format("{:.2f}%", row.mean_share),
                short_cycles(row.mean), fmt::format("[{} -> {}]", printable(row.start), printable(row.end)),
                printable(row.dso)});
  }
}

}  // namespace peregrine
