// --debuginfod[=URLS]: the servers from which a command may fetch programs and debug information.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "cli/frame/command.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine::cmd {

// `wanted`: the option's value, empty for the servers of DEBUGINFOD_URLS or buildid-cache.debuginfod in perfconfig.
// Null when it was not given, or when no server can be asked, which is then said. The server tells of its transfers
// through `call`, which must outlive it.
std::unique_ptr<DebugServer> open_debug_servers(const std::optional<std::string>& wanted, Invocation& call);

// Where libdebuginfod keeps files, by its own rules; empty without a home.
std::string debug_server_folder(const Config& config);

}  // namespace peregrine::cmd
