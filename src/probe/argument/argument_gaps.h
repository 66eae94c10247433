// Arguments that some locations of an event lack. The kernel wants the same arguments at all of them, so a placeholder
// is recorded there, and a constant behind the others (kUnavailableMasks of event/field/trace_format.h) tells which
// they are:
//
//   p:probe_x/f /bin/x:0x10 n=%di:s32 r=%ax:s32         __unavailable=\0x0:x64
//   p:probe_x/f /bin/x:0x30 n=%si:s32 r=\0xdeade12d:s32 __unavailable=\0x2:x64
//
// Readers take the mask out of the fields, and show "(unavailable)".
#pragma once
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"

namespace peregrine {

// Fills the arguments without a value: of any type that another of `probes` has there. All have as many arguments.
void fill_argument_gaps(std::vector<TraceProbe>& probes);
bool is_unavailable_mask(const TraceArgument& argument);

// What the kernel takes: 128 arguments, masks included (before 6.9 it ignores the others), and lines of 4,095 bytes.
Result<> check_probe_size(const TraceProbe& probe);

}  // namespace peregrine
