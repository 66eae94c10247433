#include "output/text/kernel/memory_tables.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/slab_usage.h"
#include "base/types.h"
#include "output/text/kernel/page_text.h"
#include "output/text/kernel/slab_text.h"

namespace peregrine {

void print_slab_tables(const SlabUsage& usage, const MemoryTables& tables, const MemoryNaming& naming, Sink& out) {
  const auto address = [](u64 given) { return fmt::format("0x{:x}", given); };
  if (tables.callers.shown)
    print_slab_rows(rows_in_order(usage.by_caller(), tables.callers.slab),
                    {"Callsite", naming.code, tables.callers.lines}, out);
  if (tables.given.shown)
    print_slab_rows(rows_in_order(usage.by_address(), tables.given.slab), {"Alloc Ptr", address, tables.given.lines},
                    out);
  print_slab_totals(usage.totals(), out);
}

void print_page_tables(const PageUsage& usage, const MemoryTables& tables, const MemoryNaming& naming, Sink& out) {
  const auto print = [&](std::vector<PageRow> rows, const MemoryTable& table, bool by_page) {
    print_page_rows(rows_in_order(std::move(rows), table.pages), usage.flag_names(),
                    {by_page, tables.live, naming.old_kinds, naming.code, table.lines}, out);
  };
  if (tables.callers.shown || tables.given.shown) print_flag_legend(usage.by_caller(), usage.flag_names(), out);
  if (tables.callers.shown) print(usage.by_caller(), tables.callers, false);
  if (tables.given.shown) print(usage.by_page(), tables.given, true);
  print_page_totals(usage, naming.old_kinds, out);
}

}  // namespace peregrine
