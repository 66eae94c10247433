// The tables and the summary of `kmem stat --page`, in linux-perf's layout. Kinds of migration are called as kernels
// since 4.4 count them, or as those before did.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/page_usage.h"
#include "output/sink.h"

namespace peregrine {

struct PageTable {
  bool by_page = false;                  // not by place in code
  bool live = false;                     // what was not freed
  bool old_kinds = false;                // of a kernel before 4.4
  std::function<std::string(u64)> name;  // of a place in code
  std::optional<std::size_t> lines;      // at most so many
};

// "GFP_KERNEL|__GFP_ZERO" as "K|Z"; a word without a short form stands whole.
std::string short_flags(const PrintNames* names, u64 flags);
// What the short forms in these rows mean.
void print_flag_legend(const std::vector<PageRow>& rows, const PrintNames* names, Sink& out);
void print_page_rows(const std::vector<PageRow>& rows, const PrintNames* names, const PageTable& table, Sink& out);
void print_page_totals(const PageUsage& usage, bool old_kinds, Sink& out);

}  // namespace peregrine
