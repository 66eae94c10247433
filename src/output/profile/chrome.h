// Chrome's trace events as JSON: what Perfetto, Chrome's developer tools, chrome://tracing and speedscope open.
//
// Neighbouring samples of a thread that share frames are one slice for each of these frames ("X"); samples of
// tracepoints, and of all events but the first, are instants ("i") with their stack. Times are microseconds of the
// recording's clock. A timed profile only. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_chrome_trace(Sink& out, const Profile& profile);

}  // namespace peregrine
