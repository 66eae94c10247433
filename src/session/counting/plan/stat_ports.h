// stat --iostat and the command iostat: traffic of PCI root ports instead of events.
#pragma once
#include "base/result.h"
#include "output/sink.h"
#include "session/counting/plan/stat_request.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {

// Changes the request to count the events of the chosen ports on the whole machine. Drops the parts of the request that
// do not apply to ports, with a warning. Errors: Usage, none of the ports exists; otherwise as read_io_ports and
// add_port_events.
Result<> take_ports(StatRequest& request, SessionListener& listener);

// Prints "S0-uncore_iio_1<0000:17>" for each port: the die, the unit and the address. Errors: as read_io_ports.
Result<> list_ports(const Root& root, Sink& out);

}  // namespace peregrine
