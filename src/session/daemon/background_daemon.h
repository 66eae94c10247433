// A daemon in a child process that outlives this one, and its log lines.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/daemon/daemon_server.h"

namespace peregrine {

// "[2026-01-31 12:00:00.123456] line\n", with the current local time.
std::string daemon_log_line(std::string_view line);

// Forks. The parent returns at once and must not use the server any more, which belongs to the child. The child returns
// when the daemon ends. It has no terminal and no input; its working folder is the base, and its output goes to
// `output` (BoundedOutput) there. `base`: the path of the server's base.
Result<> run_in_background(DaemonServer& server, const std::string& base);

}  // namespace peregrine
