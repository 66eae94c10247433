// Lists what can be probed: the source lines of a function, the variables at a place, and the functions of a program or
// the kernel. Changes nothing. The files may be untrusted, so enter the sandbox first.
#pragma once
#include <string>

#include "base/result.h"
#include "output/sink.h"
#include "session/probe/probe_request.h"

namespace peregrine {

// Prints the source in the range (parse_line_range), numbering the lines that can be probed. With `request.verbose`,
// explains why the others cannot. Errors: Usage, NotFound; no debug information.
Result<> show_probe_lines(const ProbeRequest& request, const std::string& range, const ProbeHome& home, Sink& out);
// Prints the variables that a probe at this place (parse_probe_place) can fetch. A kernel function's arguments need no
// debug information. Errors: as above.
Result<> show_probe_variables(const ProbeRequest& request, const std::string& place, const ProbeHome& home, Sink& out);
// Prints the names that the filter (NameFilter) accepts, sorted. An empty filter means request.filter.
Result<> show_probe_functions(const ProbeRequest& request, const std::string& filter, const ProbeHome& home, Sink& out);

}  // namespace peregrine
