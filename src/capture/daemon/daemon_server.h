// DaemonServer: keeps the recordings of a plan running, and answers those who ask about them.
//
//   config file ──inotify──▶ plan() ──▶ sessions that are new start, that changed start again, that are gone end
//   BASE/control ──▶ list, ping, signal, stop          BASE/lock: one daemon for a base, with its pid
//
// A session that fails starts again, each time after a longer pause (backoff.h). One that ends by itself or whose
// options are wrong stays away until the config file changes. A config file that cannot be read changes nothing. The
// base is opened and judged once (base_folder.h). run() may be called in a child of the process that called open(). One
// thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "capture/daemon/base_folder.h"
#include "capture/daemon/daemon_socket.h"
#include "capture/daemon/kept_session.h"
#include "capture/target/watch.h"

namespace peregrine {

struct DaemonPlan {
  std::string base;  // absolute
  std::vector<SessionPlan> sessions;
};

struct DaemonSetup {
  DaemonPlan plan;
  std::string program;               // whose `record` is run
  std::vector<std::string> watched;  // config files, absolute
  std::function<Result<DaemonPlan>()> read_plan;
  std::function<void(std::string_view)> log;  // a line
};

class DaemonServer {
 public:
  // Errors: NotFound, Denied, …: the base; Unsupported: "another daemon (pid N)".
  static Result<DaemonServer> open(DaemonSetup setup);
  // Until somebody says stop, or a signal does; then no session is left.
  Result<> run();
  // Another process runs it: it owns the socket and the lock from now on.
  void leave_to_other() { socket_.release(), unused_lock_.release(); }

  int folder() const { return folder_.get(); }
  void set_log(std::function<void(std::string_view)> log) { setup_.log = std::move(log); }

  // The strings of an answer to `list`: for the daemon and for each session
  //   pid ("-": not running), name, what follows `record`, folder, minutes since its start, state, restarts
  static constexpr std::size_t kRowWidth = 7;

 private:
  using Choice = std::function<bool(const KeptSession&)>;

  DaemonServer(DaemonSetup setup, Watch watch) : setup_(std::move(setup)), watch_(std::move(watch)) {}
  Result<> lock();
  Result<> watch_files();
  Result<> serve();
  Result<> write_pid();
  const std::string& base() const { return setup_.plan.base; }

  std::chrono::milliseconds until_due() const;
  void add_missing();
  void start_due();
  void drain();
  void end_sessions(const Choice& leaves);
  // `is_wanted`: those that failed shall start again.
  void reap(bool is_wanted);
  bool config_changed();
  void reconfigure();

  void accept_clients();
  void pause_accepting();
  void go_on_accepting();
  void serve_clients();
  void answer(DaemonClient& client, std::string_view question);
  std::vector<std::string> list() const;
  std::vector<KeptSession*> chosen(std::string_view name);
  // Which of them answer within two seconds.
  std::vector<bool> answered(std::span<KeptSession* const> asked);
  std::vector<std::string> ping(std::string_view name);
  std::vector<std::string> signal(std::string_view name);

  DaemonSetup setup_;
  Watch watch_;
  Fd folder_, lock_, listener_, inotify_;
  OwnedName socket_, unused_lock_;  // unused: no daemon has written its pid into it
  Fd spare_;  // for one client when no other descriptor is left, so that the daemon can be asked and stopped
  std::optional<std::chrono::steady_clock::time_point> accepts_at_;  // no descriptor was left: clients wait until then
  Fd notices_;  // an epoll of the files' watch, the sessions' pipes and the clients
  std::vector<KeptSession> sessions_;
  std::vector<DaemonClient> clients_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::optional<DaemonClient> last_client_;  // who said stop: its connection ends with us
};

}  // namespace peregrine
