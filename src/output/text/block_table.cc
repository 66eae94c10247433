#include "output/text/block_table.h"

#include <array>

#include "output/text/printable.h"

namespace peregrine {
namespace {

struct Title {
  std::string_view text;
  unsigned width;
};
constexpr std::array kTitles{Title{"Sampled Cycles%", 15},       Title{"Sampled Cycles", 14},
                             Title{"Avg Cycles%", 11},           Title{"Avg Cycles", 10},
                             Title{"[Program Block Range]", 70}, Title{"Shared Object", 20}};

std::string short_cycles(u64 cycles) {
  if (cycles >= 1'000'000) return fmt::format("{:.1f}M", static_cast<double>(cycles) / 1e6);
  if (cycles >= 1'000) return fmt::format("{:.1f}K", static_cast<double>(cycles) / 1e3);
  return fmt::format("{}", cycles);
}

// A source line, or how far into a function.
std::string place_text(const FaceTable& faces, const FrameLook& look) {
  if (look.line.valid() && look.file.valid() && !faces.text(look.file).empty()) return printable(faces.text(look.line));
  if (look.symbol.valid())
    return fmt::format("{}+{:#x}", printable(faces.text(look.symbol)), look.address - look.start);
  return fmt::format("{:#x}", look.address);
}

u64 average(const RowSums& sums) { return sums.samples == 0 ? 0 : sums.period / sums.samples; }
double percent(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_line(Sink& out, const TableText& style, const std::array<std::string, kTitles.size()>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (style.separator.empty())
      out.append("  ").right(cells[i], kTitles[i].width);
    else
      out.append(i > 0 ? std::string_view(style.separator) : std::string_view()).append(cells[i]);
  }
  out.append('\n');
}

void print_titles(Sink& out, const TableText& style) {
  const bool plain = style.separator.empty();
  const std::string_view between = plain ? std::string_view("  ") : std::string_view(style.separator);
  out.append("# ");
  for (std::size_t i = 0; i < kTitles.size(); ++i)
    out.append(i > 0 ? between : std::string_view()).right(kTitles[i].text, plain ? kTitles[i].width : 0);
  out.append('\n');
  if (!plain) return;
  out.append("# ");
  for (std::size_t i = 0; i < kTitles.size(); ++i)
    out.append(i > 0 ? between : std::string_view()).fill('.', kTitles[i].width);
  out.append("\n#\n");
}

}  // namespace

void print_blocks(Sink& out, const RowTable& table, const TableText& style) {
  u64 cycles = 0, averages = 0;
  for (const Row& row : table.rows()) {
    cycles += table.sums(row).period;
    averages += average(table.sums(row));
  }
  if (style.titles) print_titles(out, style);
  for (const Row& row : table.rows()) {
    const RowSums& sums = table.sums(row);
    const double share = percent(sums.period, cycles);
    if (share < style.least_percent) continue;
    const FrameLook& start = table.data_look(row, SortKey::AddressFrom);
    const FrameLook& end = table.data_look(row, SortKey::AddressTo);
    print_line(out, style,
               {fmt::format("{:.2f}%", share), short_cycles(sums.period),
                fmt::format("{:.2f}%", percent(average(sums), averages)), short_cycles(average(sums)),
                fmt::format("[{} -> {}]", place_text(table.faces(), start), place_text(table.faces(), end)),
                printable(table.faces().text(start.dso))});
  }
}

}  // namespace peregrine
