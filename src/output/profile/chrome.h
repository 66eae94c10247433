// Chrome's trace event JSON, for Perfetto, Chrome's developer tools, chrome://tracing and speedscope.
//
// Adjacent samples of a thread that share frames form one slice ("X") per frame; samples of tracepoints, and of all
// events but the first, are instants ("i") with their stack. Times are microseconds of the recording's clock. Timed
// profiles only. Pure.
#pragma once
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

void print_chrome_trace(Sink& out, const Profile& profile);

}  // namespace peregrine
