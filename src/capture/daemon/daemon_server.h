// DaemonServer: keeps the recordings of a plan running, and answers those who ask about them.
//
//   config file ──inotify──▶ plan() ──▶ sessions that are new start, that changed start again, that are gone end
//   BASE/control ──▶ list, ping, signal, stop          BASE/lock: one daemon for a base, with its pid
//
// A session that ends by itself stays away until the config file changes. A config file that cannot be read changes
// nothing. run() may be called in a child of the process that called open(). One thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "capture/daemon/session.h"
#include "capture/watch.h"

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

 private:
  using Choice = std::function<bool(const DaemonSession&)>;

  DaemonServer(DaemonSetup setup, Watch watch) : setup_(std::move(setup)), watch_(std::move(watch)) {}
  Result<> lock();
  Result<> watch_files();
  const std::string& base() const { return setup_.plan.base; }

  void start_missing();
  void end_sessions(const Choice& leaves);
  void reap();
  bool config_changed();
  void reconfigure();

  void answer_client();
  std::vector<std::string> list() const;
  std::vector<const DaemonSession*> chosen(std::string_view name) const;
  // Which of them answer within two seconds.
  static std::vector<bool> answered(std::span<const DaemonSession* const> asked);
  std::vector<std::string> ping(std::string_view name) const;
  std::vector<std::string> signal(std::string_view name) const;

  DaemonSetup setup_;
  Watch watch_;
  Fd lock_, listener_, inotify_;
  std::vector<DaemonSession> sessions_;  // those that run
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  Fd last_client_;  // who said stop: its connection ends with us
};

}  // namespace peregrine
