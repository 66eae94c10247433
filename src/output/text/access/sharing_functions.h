// The functions that contend for cache lines, as a three-level table: functions that load, writers to the same lines,
// and the lines. For `c2c report --function-view` and its screen.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/function_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "output/sink.h"
#include "output/text/access/sharing_text.h"

namespace peregrine {

// Identifies a row: a function, one of its writers, or a line of the pair.
struct FunctionPlace {
  std::size_t function = 0;
  std::optional<std::size_t> writer, line;
  friend auto operator<=>(const FunctionPlace&, const FunctionPlace&) = default;
};

struct FunctionTable {
  std::string head;  // lines
  std::vector<std::string> rows;
  std::vector<FunctionPlace> places;  // one per row
};

// `is_open`: whether the rows below a function or writer are shown, indicated by '+' or '-'. Empty: all rows, no marks.
FunctionTable table_of_functions(std::span<const ContendedFunction> functions, const SharingLook& look,
                                 const std::function<bool(const FunctionPlace&)>& is_open = {});

// Explains in one line why there is no function to show. `all`: the sum over all lines.
std::string why_no_functions(const AccessCounts& all, SharingOrder order);

void print_shared_functions(std::span<const ContendedFunction> functions, const AccessCounts& all,
                            const SharingLook& look, Sink& out);

}  // namespace peregrine
