// The events of the server in the sysfs and tracefs fixtures.
#pragma once
#include "event/source.h"
#include "sys/root.h"

namespace peregrine::support {

inline EventSources server_sources() { return EventSources(Root(PEREGRINE_FIXTURES "/sysroot/server")); }

}  // namespace peregrine::support
