// GraphLine: one line of the kernel's function graph tracer that ends a call.
//
//    0) + 65.918 us   |    rw_verify_area();
//    0) # 3520.782 us |  } /* vfs_read */
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

struct GraphLine {
  u64 duration = 0;           // nanoseconds
  std::string_view function;  // empty where the line does not name it (option funcgraph-tail)
};

// Nothing for lines that begin calls, comments, and whatever else is in between.
std::optional<GraphLine> parse_graph_line(std::string_view line);

// How many events "CPU:1 [LOST 17 EVENTS]" says the kernel's buffer had no room for; 0 for other lines.
u64 lost_events(std::string_view line);

}  // namespace peregrine
