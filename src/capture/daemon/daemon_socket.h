// daemon_socket: the protocol of the socket `control` in a daemon's base folder.
//
//   client → "list\n" "ping NAME\n" "signal NAME\n" "stop\n"; without NAME: all sessions
//   daemon → strings, each ended by a NUL, then the end of the connection
//
// The socket has mode 0600 regardless of the umask, and the daemon answers only its own user and root. A client can
// neither block the daemon nor make it grow: sockets are non-blocking, requests are short, and both sides time out.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/daemon/base_folder.h"

namespace peregrine {

// Creates a listening socket in `folder`; replaces that of a dead daemon. `name` gets its file. Errors: Denied,
// something else is there.
Result<Fd> listen_as_daemon(int folder, const std::string& path, OwnedName& name);

// A client of the daemon.
class DaemonClient {
 public:
  // `socket`: connected and non-blocking.
  explicit DaemonClient(Fd socket);
  // Nothing if no client waits, or it is neither our user nor root. Error (System): out of descriptors or memory; the
  // client still waits.
  static Result<std::optional<DaemonClient>> accept(int listener);

  int fd() const { return socket_.get(); }
  // Reads and writes without blocking. Returns false if the client is done, gone, too slow or sent an invalid request.
  bool go_on();
  // The complete request; returned once.
  std::optional<std::string> take_question();
  // The connection ends after everything is written.
  void answer(const std::vector<std::string>& strings);
  bool is_writing() const { return !unsent_.empty(); }
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }

 private:
  bool read_more();

  Fd socket_;
  std::string question_, unsent_;
  bool is_asked_ = false, is_answered_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

// Waits at most `patience` for a stopped daemon, and 30 s for one that ends its sessions. Errors: NotFound, no daemon
// answers; Denied, it is another user's; System, it does not respond.
Result<std::vector<std::string>> ask_daemon(const std::string& base, std::string_view question,
                                            std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace peregrine
