// open_debug_servers(): the debuginfod servers that a command may fetch programs and debug information from.
#pragma once
#include <memory>
#include <string>

#include "session/session_listener.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine {

struct DebugServerRequest {
  std::string urls;    // separated by spaces
  std::string folder;  // the cache that libdebuginfod keeps; empty if unknown
  TransferLimits limits = {};
};

// Null if no server can be used; a warning says why. During a transfer `listener` gets a note every two seconds, so it
// must outlive the servers. Such notes are sent by the thread that fetches.
std::unique_ptr<DebugServer> open_debug_servers(const DebugServerRequest& request, SessionListener& listener);

}  // namespace peregrine
