// A daemon's answers as text: the sessions that it keeps running, and those that it pinged or signalled.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

struct DaemonListStyle {
  std::optional<std::string> separator;  // lines for programs, with linux-perf's columns; only running sessions
  bool files = false;                    // for people: include the files of each session
  bool csv_safe = false;                 // with a separator: see safe_lines()
};
// `rows`: the answer to `list` (DaemonServer::kRowWidth), starting with the daemon itself. For people, sessions that
// are not running or were restarted have a line with their state.
void print_daemon_list(std::span<const std::string> rows, const DaemonListStyle& style, std::string_view program,
                       Sink& out);

enum class DaemonRequest : u8 { Ping, Signal };
// `answer`: a name and a text for each session: the reply to a ping, or the pid that was signalled. `session`: the
// requested one; empty: all.
void print_daemon_replies(DaemonRequest request, std::span<const std::string> answer, const std::string& session,
                          Sink& out);

}  // namespace peregrine
