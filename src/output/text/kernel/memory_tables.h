// The tables of `kmem stat`: by calling code and by address, for slab allocations and for pages, in the requested
// order.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/page_usage.h"
#include "analysis/memory/row_order.h"
#include "analysis/memory/slab_usage.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct MemoryTable {
  bool shown = false;
  std::optional<std::size_t> lines;  // maximum
  // Sorted by the first of these that differs, largest value first.
  std::vector<SlabKey> slab = {SlabKey::Fragmentation, SlabKey::Hits, SlabKey::Bytes};
  std::vector<PageKey> pages = {PageKey::Bytes, PageKey::Hits};
};

struct MemoryTables {
  MemoryTable callers, given;  // by calling code; by address or page
  bool live = false;           // only pages that were not freed
};

// How to show the recording's values.
struct MemoryNaming {
  bool old_kinds = false;                // recorded by a kernel before 4.4
  std::function<std::string(u64)> code;  // the name of a code address
};

// The requested tables, then the totals.
void print_slab_tables(const SlabUsage& usage, const MemoryTables& tables, const MemoryNaming& naming, Sink& out);
void print_page_tables(const PageUsage& usage, const MemoryTables& tables, const MemoryNaming& naming, Sink& out);

}  // namespace peregrine
