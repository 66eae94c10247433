// DaemonSession: one `record` that a daemon keeps running, in a folder of its own below the daemon's base:
//
//   BASE/session-NAME/  output   what it prints
//                       control  fifo: commands to it (record --control)
//                       ack      fifo: its answers
//                       perf.data, perf.data.TIME…  what it records
//
// It ends with its daemon, however that ends. One thread.
#pragma once
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct SessionPlan {
  std::string name;
  std::string run;                 // what follows `record`, as it was written
  std::vector<std::string> words;  // and as words
};

class DaemonSession {
 public:
  // `program`: the executable whose `record` it is. `mask`: the signal mask it shall run with.
  static Result<DaemonSession> start(const SessionPlan& plan, const std::string& base, const std::string& program,
                                     const sigset_t& mask);

  const std::string& name() const { return plan_.name; }
  const std::string& run() const { return plan_.run; }
  const std::string& folder() const { return folder_; }
  i32 pid() const { return pid_; }
  std::chrono::steady_clock::time_point since() const { return since_; }

  // Writes a command into its fifo. What is readable once it has answered; nothing if nobody reads the command.
  std::optional<Fd> command(std::string_view word) const;
  void send(int signal_number) const;

 private:
  SessionPlan plan_;
  std::string folder_;
  i32 pid_ = -1;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace peregrine
