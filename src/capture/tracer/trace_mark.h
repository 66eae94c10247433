// A mark: a line of text in a trace, written through its trace_marker.
#pragma once
#include <string_view>

#include "base/result.h"
#include "capture/tracer/trace_folder.h"

namespace peregrine {

// The kernel puts a mark into the buffer of the CPU on which this thread runs, and refuses if the trace excludes that
// CPU; then the thread moves to a traced CPU while it writes. Usage: the text is too long for one mark.
Result<> write_mark(const TraceFolder& folder, std::string_view text);

}  // namespace peregrine
