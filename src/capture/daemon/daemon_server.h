// DaemonServer: keeps the recordings of a plan running, and answers requests.
//
//   config file ──inotify──▶ plan() ──▶ starts new sessions, restarts changed ones, ends removed ones
//   BASE/control ──▶ list, ping, signal, stop          BASE/lock: one daemon for a base, with its pid
//
// A failed session is restarted after increasing delays (backoff.h). One that exits with success or has invalid options
// is not restarted until the config file changes. An unreadable config file changes nothing. The base is opened and
// checked once (base_folder.h). run() may be called in a child of the process that called open(). One thread.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/daemon/base_folder.h"
#include "capture/daemon/daemon_socket.h"
#include "capture/daemon/kept_session.h"
#include "capture/daemon/session.h"
#include "capture/target/watch.h"

namespace peregrine {

struct DaemonPlan {
  std::string base;  // absolute
  std::vector<SessionPlan> sessions;
};

struct DaemonSetup {
  DaemonPlan plan;
  std::string program;               // the executable for `record`
  std::vector<std::string> watched;  // config files, absolute
  std::function<Result<DaemonPlan>()> read_plan;
  // Called before each start of a session; returns a log line, or an empty string. `folder`: the session's.
  std::function<std::string(const SessionPlan& plan, const std::string& folder)> keep_remnant = {};
  std::function<void(std::string_view)> log;  // logs a line
};

class DaemonServer {
 public:
  // Errors: NotFound, Denied, … for the base; Unsupported: "another daemon (pid N)".
  static Result<DaemonServer> open(DaemonSetup setup);
  // Runs until a stop request or a signal, then ends all sessions.
  Result<> run();
  // Another process runs the server, and owns the socket and the lock from now on.
  void leave_to_other() { socket_.release(), unused_lock_.release(); }

  int folder() const { return folder_.get(); }
  void set_log(std::function<void(std::string_view)> log) { setup_.log = std::move(log); }

  // Strings per row in the answer to `list`, for the daemon and each session:
  //   pid ("-": not running), name, arguments of `record`, folder, minutes since its start, state, restarts
  // After `list status`, the state of a session is "recording, 1.2 MB, 345 samples, 0 lost" if it answers.
  static constexpr std::size_t kRowWidth = 7;

 private:
  using Choice = std::function<bool(const KeptSession&)>;

  DaemonServer(DaemonSetup setup, Watch watch) : setup_(std::move(setup)), watch_(std::move(watch)) {}
  Result<> lock();
  Result<> watch_files();
  Result<> serve();
  Result<> write_pid();
  const std::string& base() const { return setup_.plan.base; }
  std::string folder_of(const KeptSession& session) const { return session_folder(base(), session.name()); }

  std::chrono::milliseconds until_due() const;
  void add_missing();
  void start_due();
  void drain();
  void end_sessions(const Choice& leaves);
  // `is_wanted`: restart failed sessions.
  void reap(bool is_wanted);
  bool config_changed();
  void reconfigure();

  void accept_clients();
  void pause_accepting();
  void go_on_accepting();
  void serve_clients();
  void answer(DaemonClient& client, std::string_view question);
  // `asks`: ask each running session for its state.
  std::vector<std::string> list(bool asks);
  std::vector<KeptSession*> chosen(std::string_view name);
  // Sends a command to the sessions (ControlChannel) and returns their answers. A session that does not answer within
  // two seconds has no value.
  std::vector<std::optional<std::string>> ask(std::span<KeptSession* const> asked, std::string_view command);
  std::vector<std::string> ping(std::string_view name);
  std::vector<std::string> signal(std::string_view name);

  DaemonSetup setup_;
  Watch watch_;
  Fd folder_, lock_, listener_, inotify_;
  OwnedName socket_, unused_lock_;  // unused_lock_: no daemon has written its pid into it yet
  Fd spare_;  // reserve: lets one client connect when descriptors run out, so that the daemon can be stopped
  std::optional<std::chrono::steady_clock::time_point> accepts_at_;  // clients wait until then
  Fd notices_;  // an epoll of inotify, the sessions' pipes and the clients
  std::vector<KeptSession> sessions_;
  std::vector<DaemonClient> clients_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::optional<DaemonClient> last_client_;  // the client that requested stop: its connection ends with us
};

}  // namespace peregrine
