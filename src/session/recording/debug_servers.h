// open_debug_servers(): the debuginfod servers from which a command may download programs and debug information.
#pragma once
#include <memory>
#include <string>

#include "session/session_listener.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine {

struct DebugServerRequest {
  std::string urls;    // separated by spaces
  std::string folder;  // libdebuginfod's cache folder; empty if unknown
  TransferLimits limits = {};
};

// Null if no server can be used; a warning says why. During a transfer, `listener` gets a note every two seconds from
// the downloading thread, so it must outlive the servers.
std::unique_ptr<DebugServer> open_debug_servers(const DebugServerRequest& request, SessionListener& listener);

}  // namespace peregrine
