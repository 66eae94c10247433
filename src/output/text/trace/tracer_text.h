// The text of `ftrace status` and `ftrace --list-tracers`.
#pragma once
#include <span>
#include <string>

#include "capture/tracer/tracer_status.h"
#include "output/sink.h"

namespace peregrine {

void print_tracer_status(const TracerStatus& status, Sink& out);
// One line per tracer, with its purpose.
void print_tracers(std::span<const std::string> tracers, Sink& out);

}  // namespace peregrine
