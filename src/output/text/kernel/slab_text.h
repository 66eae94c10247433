// The tables and the summary of `kmem stat`, in linux-perf's layout.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/slab_usage.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct SlabTable {
  std::string title;                     // of the first column
  std::function<std::string(u64)> name;  // of a row
  std::optional<std::size_t> lines;      // maximum
};
void print_slab_rows(const std::vector<SlabRow>& rows, const SlabTable& table, Sink& out);
void print_slab_totals(const SlabTotals& totals, Sink& out);

}  // namespace peregrine
