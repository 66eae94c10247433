// daemon_socket: how a daemon is asked: a socket named `control` in its base folder.
//
//   client → "list\n" "ping NAME\n" "signal NAME\n" "stop\n"; without NAME: all sessions
//   daemon → strings, each ended by a NUL, then the end of the connection
//
// The socket has mode 0600 whatever the umask, and the daemon answers its own user and root only. A client neither
// blocks the daemon nor makes it grow: connections do not block, questions are short, and each side gives up after a
// while.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "capture/daemon/base_folder.h"

namespace peregrine {

// A socket that listens in `folder`; one of a daemon that is gone is replaced. `name` becomes its file. Errors: Denied,
// something else is there.
Result<Fd> listen_as_daemon(int folder, const std::string& path, OwnedName& name);

// A client of the daemon.
class DaemonClient {
 public:
  // `socket`: connected, not blocking.
  explicit DaemonClient(Fd socket);
  // Nothing where nobody waits, or where it is neither our user nor root. Error (System): there is no descriptor or no
  // memory for the client, who still waits.
  static Result<std::optional<DaemonClient>> accept(int listener);

  int fd() const { return socket_.get(); }
  // Reads and writes what is possible at once. False: it is done, gone, late, or not to be understood.
  bool go_on();
  // The whole question, once.
  std::optional<std::string> take_question();
  // The connection ends when all is written.
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

// Errors: NotFound, nobody answers there; Denied, another user's daemon does.
Result<std::vector<std::string>> ask_daemon(const std::string& base, std::string_view question);

}  // namespace peregrine
