// stat --iostat, and the command iostat: traffic of PCI root ports instead of events.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/hardware/io_port.h"

namespace peregrine {
class Sink;
}

namespace peregrine::cmd {

struct Invocation;
struct StatRequest;

struct StatPortRequest {
  std::optional<std::string> words;  // --iostat: which ones; "" for all, "list" to list them
  std::vector<IoPort> chosen;        // those that are counted
  bool of_command = false;           // the machine is watched for as long as the command runs, and nobody said -a
  bool lists() const { return words && *words == "list"; }
};

// Makes the request one of the chosen ports' events on the whole machine. Says what of it has no meaning for ports.
// Errors: Usage, options that contradict, ports that are not there; else as read_io_ports and add_port_events.
Result<> take_ports(StatRequest& request, Invocation& call);

// "S0-uncore_iio_1<0000:17>" for each port there is: the die, the unit and the address. Errors: as read_io_ports.
Result<> list_ports(const Root& root, Sink& out);

}  // namespace peregrine::cmd
