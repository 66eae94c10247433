// The events a command uses when the user names none.
#pragma once
#include "event/spec.h"

namespace peregrine {

// record's: cycles with the highest precise level that works; ":u" when the kernel may not be seen. Precise sampling by
// AMD's IBS cannot leave guests out, so they are not excluded there.
EventSpec default_record_event(bool may_see_kernel, bool amd);
// The event that only carries side-band (`-a`, `-C`, --delay): "dummy:HG".
EventSpec dummy_event();

}  // namespace peregrine
