// ControlChannel: the descriptor or fifo through which another program controls a recording (--control), and the one
// for acknowledgements.
//
//   "enable" "disable" "enable EVENT" "disable EVENT" "evlist [-v|-g|-F]" "snapshot" "stop" "ping" "status"
//
// One command per line; like linux-perf, also accepts a command without newline. Unknown commands are ignored without
// an answer. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

struct ControlCommand {
  enum class Verb { Enable, Disable, Evlist, Snapshot, Stop, Ping, Status } verb = Verb::Ping;
  std::string argument;  // what follows the verb
};
std::optional<ControlCommand> parse_control_command(std::string_view line);

class ControlChannel {
 public:
  // "fd:N[,ACK]" or "fifo:PATH[,ACK]". Errors: Usage; the descriptor or fifo does not exist.
  static Result<ControlChannel> open(std::string_view spec);
  int fd() const { return commands_.get(); }
  // All pending commands. After the other end is closed, fd() is -1.
  std::vector<ControlCommand> read();
  // Writes the answer and "ack\n" with its NUL. A closed reader is not an error.
  void acknowledge(std::string_view answer = {});

 private:
  Fd commands_, answers_;
};

}  // namespace peregrine
