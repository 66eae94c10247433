// filter_complaint: what the kernel's own parser says of a tracepoint filter. perf_event answers a wrong filter with
// EINVAL alone; the reason is written only where a filter is set through tracefs, so that it is set once more there, in
// a trace instance that is made for it and removed at once.
#pragma once
#include <string>

namespace peregrine {

// Lines with a caret under the place; "" where no instance may be made, or the kernel has nothing against the filter.
std::string filter_complaint(const std::string& system, const std::string& event, const std::string& filter);

}  // namespace peregrine
