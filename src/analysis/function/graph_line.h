// GraphLine: a line of the kernel's function graph tracer that ends a call.
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
  std::string_view function;  // empty if the line does not name it (option funcgraph-tail)
};

// Nothing for lines that begin calls, comments, etc.
std::optional<GraphLine> parse_graph_line(std::string_view line);

// The number of lost events in "CPU:1 [LOST 17 EVENTS]"; 0 for other lines.
u64 lost_events(std::string_view line);

}  // namespace peregrine
