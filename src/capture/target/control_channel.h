// ControlChannel: the descriptor or fifo by which another program steers a recording (--control), and the one on which
// it is told that a command was carried out.
//
//   "enable" "disable" "enable EVENT" "disable EVENT" "evlist [-v|-g|-F]" "snapshot" "stop" "ping"
//
// One command a line; what came without a newline is taken as a command, too, as linux-perf does. Unknown ones are
// passed over without an answer. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace peregrine {

struct ControlCommand {
  enum class Verb { Enable, Disable, Evlist, Snapshot, Stop, Ping } verb = Verb::Ping;
  std::string argument;  // what follows the verb
};
std::optional<ControlCommand> parse_control_command(std::string_view line);

class ControlChannel {
 public:
  // "fd:N[,ACK]" or "fifo:PATH[,ACK]". Errors: Usage; a descriptor or fifo that is not there.
  static Result<ControlChannel> open(std::string_view spec);
  int fd() const { return commands_.get(); }
  // Every command that waits. Nothing more will come once the other end is closed: then fd() is -1.
  std::vector<ControlCommand> read();
  // "ack\n", with its NUL. A reader that is gone is no error.
  void acknowledge();

 private:
  Fd commands_, answers_;
};

}  // namespace peregrine
