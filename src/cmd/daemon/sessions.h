// Sessions: the sessions of a base folder, and the daemon that runs them.
//
//   BASE               locked (flock) while a command changes something, so that no two commands do
//   BASE/sessions.conf the daemon's config file, which only `session` writes (session_book.h)
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "session/daemon/session_book.h"

namespace peregrine::cmd {

class Sessions {
 public:
  enum class Purpose { Read, Change };

  // Change: waits for other commands that change sessions, and keeps the lock as long as it lives. `base`: empty for
  // the default. Errors: Usage, HOME is not set; Denied, others can write to the base; Malformed, the config file.
  static Result<Sessions> open(const std::string& base, Purpose purpose, const Config& config);

  SessionBook& book() { return book_; }
  const std::string& base() const { return base_; }  // absolute
  Result<> save() const;

  // The daemon's answer to `list`. Errors: as ask_daemon().
  Result<std::vector<std::string>> daemon_rows() const;
  // One that does not answer, such as a stopped one, still keeps its sessions.
  bool has_daemon() const;
  // Starts or stops the daemon, which is in another process and outlives this one.
  Result<> run_daemon(const std::string& verb) const;
  // Stops the daemon if no session is started.
  Result<> stop_idle_daemon() const;

 private:
  explicit Sessions(std::string base) : base_(std::move(base)) {}
  std::string config() const { return base_ + "/sessions.conf"; }
  Result<> lock();

  std::string base_;
  SessionBook book_;
  Fd lock_;
};

}  // namespace peregrine::cmd
