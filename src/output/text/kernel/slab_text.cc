#include "output/text/kernel/slab_text.h"

#include "base/percent.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kSlabRuler = 105, kSlabName = 34;

u64 each(u64 sum, u64 hits) { return hits == 0 ? 0 : sum / hits; }
void slab_ruler(Sink& out) { out.fill('-', kSlabRuler).append('\n'); }

}  // namespace

void print_slab_rows(const std::vector<SlabRow>& rows, const SlabTable& table, Sink& out) {
  slab_ruler(out);
  out.append(' ')
      .left(table.title, kSlabName)
      .append(" | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n");
  slab_ruler(out);
  std::size_t shown = 0;
  for (const SlabRow& row : rows) {
    if (table.lines && shown++ == *table.lines) break;
    out.append(' ').left(printable(table.name(row.key)), kSlabName);
    out.format(" | {:9}/{:<5} | {:9}/{:<5} | {:8} | {:9} | {:6.3f}%\n", row.allocated, each(row.allocated, row.hits),
               row.requested, each(row.requested, row.hits), row.hits, row.ping_pongs, row.fragmentation());
  }
  if (table.lines && rows.size() > *table.lines)
    out.append(' ')
        .left("...", kSlabName)
        .append(" | ...             | ...             | ...      | ...       | ...   \n");
  slab_ruler(out);
}

void print_slab_totals(const SlabTotals& totals, Sink& out) {
  out.append("\nSUMMARY (SLAB allocator)\n========================\n");
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
