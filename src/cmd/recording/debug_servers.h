// --debuginfod[=URLS]: the servers that a command may query, from the option, perfconfig and libdebuginfod's
// environment variables.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "session/recording/debug_servers.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine::cmd {

// `urls`: the option's value; if empty, DEBUGINFOD_URLS, else buildid-cache.debuginfod of perfconfig.
DebugServerRequest debug_server_request(const std::string& urls, const Config& config);

// Null if `wanted` is absent, or no server can be used, which is reported. `call` must outlive the servers.
std::unique_ptr<DebugServer> open_debug_servers(const std::optional<std::string>& wanted, Invocation& call);

// libdebuginfod's cache folder, by its own rules; empty without a home.
std::string debug_server_folder(const Config& config);

}  // namespace peregrine::cmd
