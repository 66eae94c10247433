// Requests of `session` to a running daemon: waits until a session runs or has ended, or finishes a file.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "session/daemon/session_book.h"

namespace peregrine {

enum class SessionState : u8 {
  Stopped,
  Started,
  Failed,  // the daemon will restart it
  Ended,   // it is started, but does not run: its command has ended, or the daemon was killed
};
// `rows`: the daemon's answer to `list`. A daemon that does not answer still keeps its sessions.
SessionState session_state(const Result<std::vector<std::string>>& rows, const BookedSession& session);

// Waits until the daemon runs this session. Errors: System, `record` failed, with the reason in its output;
// or the daemon does not respond.
Result<> await_start(const std::string& base, const std::string& name);
// Waits until it does not run any more, and its last file is complete.
Result<> await_end(const std::string& base, const std::string& name);
// Makes it finish a file and start a new one; returns the path of the finished one.
Result<std::string> finish_file(const std::string& base, const std::string& name);

// Removes the finished files of a flight recorder that are not among `known`: those that it wrote because it ended.
Result<> remove_unrequested(const std::string& base, const std::string& name, const std::vector<std::string>& known);

// The finished recordings of a session, oldest first; if it is not recording, with perf.data.
std::vector<std::string> session_files(const std::string& base, const std::string& name, bool is_recording);

}  // namespace peregrine
