// Fills in arguments that some locations of an event lack. The kernel requires the same arguments at every location, so
// the missing ones record a placeholder, and a constant after the others (kUnavailableMasks in
// event/field/trace_format.h) marks which ones are placeholders:
//
//   p:probe_x/f /bin/x:0x10 n=%di:s32 r=%ax:s32         __unavailable=\0x0:x64
//   p:probe_x/f /bin/x:0x30 n=%si:s32 r=\0xdeade12d:s32 __unavailable=\0x2:x64
//
// Readers remove the mask from the fields and show "(unavailable)".
#pragma once
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"

namespace peregrine {

// Replaces arguments without a value by placeholders of the type that another of `probes` has there. All probes must
// have the same number of arguments.
void fill_argument_gaps(std::vector<TraceProbe>& probes);
bool is_unavailable_mask(const TraceArgument& argument);

// TraceProbe::check(), and the kernel's limits: 128 arguments including masks (before 6.9 it ignores the excess), and
// lines of 4,095 bytes.
Result<> check_probe_line(const TraceProbe& probe);

}  // namespace peregrine
