#include <string>

#include "support/make_pt_data/program_tracer.h"
#include "support/make_pt_data/side_band.h"

namespace peregrine::support {

std::string trace_program(Recording&, const TraceLimits&) { return "only x86-64 programs can be traced"; }

}  // namespace peregrine::support
