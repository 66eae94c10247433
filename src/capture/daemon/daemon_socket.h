// daemon_socket: how a daemon is asked: a socket named `control` in its base folder.
//
//   client → "list\n" "ping NAME\n" "signal NAME\n" "stop\n"; without NAME: all sessions
//   daemon → strings, each ended by a NUL, then the end of the connection
//
// The base folder's permissions decide who may ask.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace peregrine {

Result<Fd> listen_as_daemon(const std::string& base);
// One question of a client that waits; empty if it does not ask within two seconds.
std::string read_question(int client);
void answer_strings(int client, const std::vector<std::string>& strings);

// Errors: NotFound, nobody answers there.
Result<std::vector<std::string>> ask_daemon(const std::string& base, std::string_view question);

}  // namespace peregrine
