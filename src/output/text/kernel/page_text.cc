#include "output/text/kernel/page_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "event/print/print_names.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kPageRuler = 105, kBytes = 16;
constexpr u32 kUsualOrders = 10;

// linux-perf's abbreviations.
constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"GFP_TRANSHUGE", "THP"},
                                                                    {"GFP_TRANSHUGE_LIGHT", "THL"},
                                                                    {"GFP_HIGHUSER_MOVABLE", "HUM"},
                                                                    {"GFP_HIGHUSER", "HU"},
                                                                    {"GFP_USER", "U"},
                                                                    {"GFP_KERNEL_ACCOUNT", "KAC"},
                                                                    {"GFP_KERNEL", "K"},
                                                                    {"GFP_NOFS", "NF"},
                                                                    {"GFP_ATOMIC", "A"},
                                                                    {"GFP_NOIO", "NI"},
                                                                    {"GFP_NOWAIT", "NW"},
                                                                    {"GFP_DMA", "D"},
                                                                    {"__GFP_HIGHMEM", "HM"},
                                                                    {"GFP_DMA32", "D32"},
                                                                    {"__GFP_HIGH", "H"},
                                                                    {"__GFP_ATOMIC", "_A"},
                                                                    {"__GFP_IO", "I"},
                                                                    {"__GFP_FS", "F"},
                                                                    {"__GFP_NOWARN", "NWR"},
                                                                    {"__GFP_RETRY_MAYFAIL", "R"},
                                                                    {"__GFP_NOFAIL", "NF"},
                                                                    {"__GFP_NORETRY", "NR"},
                                                                    {"__GFP_COMP", "C"},
                                                                    {"__GFP_ZERO", "Z"},
                                                                    {"__GFP_NOMEMALLOC", "NMA"},
                                                                    {"__GFP_MEMALLOC", "MA"},
                                                                    {"__GFP_HARDWALL", "HW"},
                                                                    {"__GFP_THISNODE", "TN"},
                                                                    {"__GFP_RECLAIMABLE", "RC"},
                                                                    {"__GFP_MOVABLE", "M"},
                                                                    {"__GFP_ACCOUNT", "AC"},
                                                                    {"__GFP_WRITE", "WR"},
                                                                    {"__GFP_RECLAIM", "R"},
                                                                    {"__GFP_DIRECT_RECLAIM", "DR"},
                                                                    {"__GFP_KSWAPD_RECLAIM", "KR"}};

struct MigrateKind {
  std::string_view name, cut;
};
using Kinds = std::array<MigrateKind, PageUsage::kKinds>;
constexpr Kinds kKinds = {{{"Unmovable", "UNMOVABL"},
                           {"Movable", "MOVABLE"},
                           {"Reclaimable", "RECLAIM"},
                           {"HighAtomic", "HIGHATOM"},
                           {"CMA/Isolated", "CMA/ISLT"}}};
constexpr Kinds kOldKinds = {{{"Unmovable", "UNMOVABL"},
                              {"Reclaimable", "RECLAIM"},
                              {"Movable", "MOVABLE"},
                              {"Reserved", "RESERVED"},
                              {"CMA/Isolated", "CMA/ISLT"}}};
const Kinds& kinds_of(bool old) { return old ? kOldKinds : kKinds; }

std::string long_flags(const PrintNames* names, u64 flags) {
  if (flags == 0) return "none";
  return names != nullptr ? names->text(flags) : PrintNames::number_text(flags);
}

TextTable page_table(const std::vector<PageRow>& rows, const PrintNames* names, const PageTable& table) {
  std::vector<TextColumn> columns;
  if (table.by_page) columns.push_back({.title = "PFN", .width = kBytes, .before = " ", .title_align = Align::Left});
  columns.push_back({.title = table.live ? "Live alloc (KB)" : "Total alloc (KB)",
                     .width = kBytes,
                     .before = table.by_page ? " | " : " "});
  columns.push_back({.title = "Hits", .width = 9, .before = " | ", .title_align = Align::Left});
  columns.push_back({.title = "Order", .width = 5, .before = " | "});
  columns.push_back({.title = "Mig.type", .width = 8, .before = " | "});
  columns.push_back({.title = "GFP flags", .width = 9, .align = Align::Left, .before = " | "});
  columns.push_back({.title = "Callsite", .align = Align::Left, .before = " | "});
  TextTable printer(std::move(columns));
  const std::size_t flags = printer.columns().size() - 2;
  for (const PageRow& row : rows) printer.fit(flags, printable(short_flags(names, row.key.flags)));
  return printer;
}

// Marks omitted rows.
void put_dots(const TextTable& printer, Sink& out) {
  std::vector<std::string> cells;
  for (const TextColumn& column : printer.columns()) cells.push_back(fmt::format("{:<{}}", "...", column.width));
  printer.row(out, cells);
}

// The number of pages of each order and type that were allocated.
void put_orders(const PageUsage& usage, bool old_kinds, Sink& out) {
  std::vector<TextColumn> columns = {{.title = "Order", .width = 5, .before = ""}};
  for (const MigrateKind& kind : kinds_of(old_kinds)) columns.push_back({.title = std::string(kind.name), .width = 12});
  const TextTable printer(std::move(columns));
  printer.titles(out);
  printer.ruler(out, '-');
  const auto& orders = usage.orders();
  const u32 last = orders.empty() ? kUsualOrders : std::max(kUsualOrders, orders.rbegin()->first);
  for (u32 order = 0; order <= last; ++order) {
    std::vector<std::string> cells = {fmt::format("{}", order)};
    const auto found = orders.find(order);
    for (std::size_t i = 0; i < PageUsage::kKinds; ++i) {
      const u64 count = found == orders.end() ? 0 : found->second[i];
      cells.push_back(count == 0 ? "." : fmt::format("{}", count));
    }
    printer.row(out, cells);
  }
}

void put_sum(std::string_view title, u64 count, u64 bytes, Sink& out) {
  out.format("{:<30}: {:>16}   [ {:>16} KB ]\n", title, count, bytes / 1024);
}

}  // namespace

std::string short_flags(const PrintNames* names, u64 flags) {
  if (flags == 0 || names == nullptr) return long_flags(names, flags);
  std::string text;
  names->each(flags, [&](std::string_view word, bool) {
    const auto* const found = std::ranges::find(kShort, word, &std::pair<std::string_view, std::string_view>::first);
    text += found != std::end(kShort) ? found->second : word.starts_with("__GFP_") ? word.substr(6) : word;
  });
  return text;
}

void print_flag_legend(const std::vector<PageRow>& rows, const PrintNames* names, Sink& out) {
  std::map<u64, std::string> meant;
  std::size_t width = 0;
  for (const PageRow& row : rows) {
    const auto [at, fresh] = meant.try_emplace(row.key.flags);
    if (fresh) at->second = printable(short_flags(names, row.key.flags));
    width = std::max(width, at->second.size());
  }
  append_underlined(out.append("#\n"), "GFP flags", '-', "# ");
  for (const auto& [flags, text] : meant)
    out.format("# {:08x}: {:>{}}: {}\n", flags, text, width, printable(long_flags(names, flags)));
}

void print_page_rows(const std::vector<PageRow>& rows, const PrintNames* names, const PageTable& table, Sink& out) {
  const Kinds& kinds = kinds_of(table.old_kinds);
  const TextTable printer = page_table(rows, names, table);
  append_ruler(out.append('\n'), '-', kPageRuler);
  printer.titles(out);
  append_ruler(out, '-', kPageRuler);
  std::size_t shown = 0;
  for (const PageRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    std::vector<std::string> cells;
    if (table.by_page) cells.push_back(fmt::format("{}", row.key.place));
    cells.push_back(fmt::format("{}", row.bytes / 1024));
    cells.push_back(fmt::format("{}", row.hits));
    cells.push_back(fmt::format("{}", row.key.order));
    cells.emplace_back(kinds[std::min<std::size_t>(row.key.migrate_type, kinds.size() - 1)].cut);
    cells.push_back(printable(short_flags(names, row.key.flags)));
    cells.push_back(printable(table.name(row.caller)));
    printer.row(out, cells);
  }
  if (table.lines && rows.size() > *table.lines) put_dots(printer, out);
  append_ruler(out, '-', kPageRuler);
}

void print_page_totals(const PageUsage& usage, bool old_kinds, Sink& out) {
  const PageTotals& totals = usage.totals();
  append_underlined(out.append('\n'), "SUMMARY (page allocator)", '=');
  put_sum("Total allocation requests", totals.allocated.count, totals.allocated.bytes, out);
  put_sum("Total free requests", totals.freed.count, totals.freed.bytes, out);
  out.append('\n');
  put_sum("Total alloc+freed requests", totals.freed_here(), totals.bytes_freed_here(), out);
  put_sum("Total alloc-only requests", totals.allocated.count - totals.freed_here(),
          totals.allocated.bytes - totals.bytes_freed_here(), out);
  put_sum("Total free-only requests", totals.unknown_frees.count, totals.unknown_frees.bytes, out);
  out.append('\n');
  put_sum("Total allocation failures", totals.failed.count, totals.failed.bytes, out);
  out.append('\n');
  put_orders(usage, old_kinds, out);
}

}  // namespace peregrine
