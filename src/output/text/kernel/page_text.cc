#include "output/text/kernel/page_text.h"

#include <algorithm>
#include <map>

#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kPageRuler = 105, kBytes = 16, kKindWidth = 12;
constexpr u32 kUsualOrders = 10;
constexpr std::string_view kFlagsTitle = "GFP flags";

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

void page_ruler(Sink& out) { out.fill('-', kPageRuler).append('\n'); }

std::string long_flags(const PrintNames* names, u64 flags) {
  if (flags == 0) return "none";
  return names != nullptr ? names->text(flags) : PrintNames::number_text(flags);
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
  out.append("#\n# GFP flags\n# ---------\n");
  for (const auto& [flags, text] : meant)
    out.format("# {:08x}: {:>{}}: {}\n", flags, text, width, printable(long_flags(names, flags)));
}

void print_page_rows(const std::vector<PageRow>& rows, const PrintNames* names, const PageTable& table, Sink& out) {
  std::size_t width = kFlagsTitle.size();
  for (const PageRow& row : rows) width = std::max(width, printable(short_flags(names, row.key.flags)).size());
  const Kinds& kinds = kinds_of(table.old_kinds);
  out.append('\n');
  page_ruler(out);
  out.append(' ');
  if (table.by_page) out.left("PFN", kBytes).append(" | ");
  out.right(table.live ? "Live alloc (KB)" : "Total alloc (KB)", kBytes).append(" | Hits      | Order | Mig.type | ");
  out.left(kFlagsTitle, width).append(" | Callsite\n");
  page_ruler(out);
  std::size_t shown = 0;
  for (const PageRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    out.append(' ');
    if (table.by_page) out.decimal(row.key.place, kBytes).append(" | ");
    out.decimal(row.bytes / 1024, kBytes).append(" | ").decimal(row.hits, 9).append(" | ").decimal(row.key.order, 5);
    out.append(" | ").right(kinds[std::min<std::size_t>(row.key.migrate_type, kinds.size() - 1)].cut, 8).append(" | ");
    out.left(printable(short_flags(names, row.key.flags)), width).append(" | ");
    out.append(printable(table.name(row.caller))).append('\n');
  }
  if (table.lines && rows.size() > *table.lines) {
    out.append(' ');
    if (table.by_page) out.left("...", kBytes).append(" | ");
    out.left("...", kBytes).append(" | ...       | ...   | ...      | ").left("...", width).append(" | ...\n");
  }
  page_ruler(out);
}

void print_page_totals(const PageUsage& usage, bool old_kinds, Sink& out) {
  const PageTotals& totals = usage.totals();
  out.append("\nSUMMARY (page allocator)\n========================\n");
  put_sum("Total allocation requests", totals.allocated.count, totals.allocated.bytes, out);
  put_sum("Total free requests", totals.freed.count, totals.freed.bytes, out);
  out.append('\n');
  put_sum("Total alloc+freed requests", totals.freed_here(), totals.bytes_freed_here(), out);
  put_sum("Total alloc-only requests", totals.allocated.count - totals.freed_here(),
          totals.allocated.bytes - totals.bytes_freed_here(), out);
  put_sum("Total free-only requests", totals.unknown_frees.count, totals.unknown_frees.bytes, out);
  out.append('\n');
  put_sum("Total allocation failures", totals.failed.count, totals.failed.bytes, out);
  out.append("\nOrder");
  for (const MigrateKind& kind : kinds_of(old_kinds)) out.append("  ").right(kind.name, kKindWidth);
  out.append("\n-----");
  for (std::size_t i = 0; i < PageUsage::kKinds; ++i) out.append("  ").fill('-', kKindWidth);
  out.append('\n');
  const auto& orders = usage.orders();
  const u32 last = orders.empty() ? kUsualOrders : std::max(kUsualOrders, orders.rbegin()->first);
  for (u32 order = 0; order <= last; ++order) {
    out.decimal(order, 5);
    const auto found = orders.find(order);
    for (std::size_t i = 0; i < PageUsage::kKinds; ++i) {
      const u64 count = found == orders.end() ? 0 : found->second[i];
      out.append("  ").right(count == 0 ? "." : fmt::format("{}", count), kKindWidth);
    }
    out.append('\n');
  }
}

}  // namespace peregrine
