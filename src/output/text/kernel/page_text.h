// The tables and the summary of `kmem stat --page`, in linux-perf's layout. Migrate types have the names of kernels
// since 4.4, or of older ones.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/page_usage.h"
#include "base/types.h"
#include "event/print/print_names.h"
#include "output/sink.h"

namespace peregrine {

struct PageTable {
  bool by_page = false;                  // else by call site
  bool live = false;                     // only pages not freed
  bool old_kinds = false;                // of kernels before 4.4
  std::function<std::string(u64)> name;  // name of a call site
  std::optional<std::size_t> lines;      // maximum
};

// "GFP_KERNEL|__GFP_ZERO" → "K|Z"; names without a short form are unchanged.
std::string short_flags(const PrintNames* names, u64 flags);
// Explains the short forms in these rows.
void print_flag_legend(const std::vector<PageRow>& rows, const PrintNames* names, Sink& out);
void print_page_rows(const std::vector<PageRow>& rows, const PrintNames* names, const PageTable& table, Sink& out);
void print_page_totals(const PageUsage& usage, bool old_kinds, Sink& out);

}  // namespace peregrine
