// print_daemon_list: what `daemon` without a command prints: the daemon and its sessions.
//
// For programs, the lines of linux-perf. For people, a line `state:` too for sessions that do not run or were
// restarted.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "output/sink.h"

namespace peregrine::cmd {

struct DaemonListStyle {
  std::optional<std::string> separator;  // lines for programs
  bool files = false;
  bool csv_safe = false;  // with a separator
};

// `rows`: a daemon's answer to `list` (DaemonServer::kRowWidth).
void print_daemon_list(std::span<const std::string> rows, const DaemonListStyle& style, std::string_view program,
                       Sink& out);

}  // namespace peregrine::cmd
