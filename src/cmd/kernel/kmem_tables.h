// The tables of `kmem stat`: by calling code and by address, for slab allocations and for pages, sorted as
// requested.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/row_order.h"
#include "output/sink.h"

namespace peregrine::cmd {

// "frag,hit". Errors: Usage, with the words there are.
Result<std::vector<SlabKey>> slab_keys(const std::string& sort);
Result<std::vector<PageKey>> page_keys(const std::string& sort);

struct KmemTable {
  bool shown = false;
  std::optional<std::size_t> lines;  // at most so many
  // The largest first of these, of the first where they differ.
  std::vector<SlabKey> slab = {SlabKey::Fragmentation, SlabKey::Hits, SlabKey::Bytes};
  std::vector<PageKey> pages = {PageKey::Bytes, PageKey::Hits};
};

struct KmemTables {
  KmemTable callers, given;
  bool live = false;                     // pages that were not freed
  bool old_kinds = false;                // recorded by a kernel before 4.4
  std::function<std::string(u64)> code;  // the name of a place
};
void print_slab(const SlabUsage& usage, const KmemTables& tables, Sink& out);
void print_pages(const PageUsage& usage, const KmemTables& tables, Sink& out);

}  // namespace peregrine::cmd
