#include "output/text/kernel/slab_text.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/percent.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr std::size_t kSlabRuler = 105;

u64 each(u64 sum, u64 hits) { return hits == 0 ? 0 : sum / hits; }

TextTable slab_table(const std::string& title) {
  return TextTable({{.title = title, .width = 34, .align = Align::Left, .before = " "},
                    {.title = "Total_alloc/Per", .width = 15, .align = Align::Left, .before = " | "},
                    {.title = "Total_req/Per", .width = 15, .align = Align::Left, .before = " | "},
                    {.title = "Hit", .width = 8, .before = " | ", .title_align = Align::Left},
                    {.title = "Ping-pong", .width = 9, .before = " | "},
                    {.title = "Frag", .before = " | "}});
}

std::string per_hit_text(u64 sum, u64 hits) { return fmt::format("{:9}/{:<5}", sum, each(sum, hits)); }

}  // namespace

void print_slab_rows(const std::vector<SlabRow>& rows, const SlabTable& table, Sink& out) {
  const TextTable printer = slab_table(table.title);
  append_ruler(out, '-', kSlabRuler);
  printer.titles(out);
  append_ruler(out, '-', kSlabRuler);
  std::size_t shown = 0;
  for (const SlabRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    printer.row(out, {printable(table.name(row.key)), per_hit_text(row.allocated, row.hits),
                      per_hit_text(row.requested, row.hits), fmt::format("{}", row.hits),
                      fmt::format("{}", row.ping_pongs), fmt::format("{:6.3f}%", row.fragmentation())});
  }
  if (table.lines && rows.size() > *table.lines)
    printer.row(out, {"...", "...", "...", "...     ", "...      ", "...   "});
  append_ruler(out, '-', kSlabRuler);
}

void print_slab_totals(const SlabTotals& totals, Sink& out) {
  append_underlined(out.append('\n'), "SUMMARY (SLAB allocator)", '=');
  out.format("Total bytes requested: {}\n", totals.requested);
  out.format("Total bytes allocated: {}\n", totals.allocated);
  out.format("Total bytes freed:     {}\n", totals.freed);
  if (totals.allocated > totals.freed) out.format("Net total bytes allocated: {}\n", totals.net());
  const u64 wasted = totals.allocated > totals.requested ? totals.allocated - totals.requested : 0;
  const double share = percent_of(wasted, totals.allocated);
  out.format("Total bytes wasted on internal fragmentation: {}\n", wasted);
  out.format("Internal fragmentation: {:.6f}%\n", share);
  out.format("Cross CPU allocations: {}/{}\n", totals.cross_allocations, totals.allocations);
}

}  // namespace peregrine
