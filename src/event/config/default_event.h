// The events a command uses if the user specifies none.
#pragma once
#include "event/spec.h"

namespace peregrine {

// For record: cycles with the highest precise level that works; with ":u" if kernel profiling is not permitted. AMD's
// IBS cannot exclude guests when sampling precisely, so they are included there.
EventSpec default_record_event(bool may_see_kernel, bool amd);
// The event that only carries side-band (`-a`, `-C`, --delay): "dummy:HG".
EventSpec dummy_event();

}  // namespace peregrine
