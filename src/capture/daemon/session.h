// DaemonSession: one run of `record` started by a daemon, in its own folder below the daemon's base:
//
//   BASE/session-NAME/  output   its output (bounded_output.h)
//                       control  fifo for commands (record --control)
//                       ack      fifo for its answers
//                       perf.data, perf.data.TIME…  its recordings
//
// Its output comes through a pipe, so that the size can be bounded: call drain() when output_fd() is readable. The
// session ends with its daemon, even if that is killed. One thread.
#pragma once
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/daemon/bounded_output.h"

namespace peregrine {

struct SessionPlan {
  std::string name;
  std::string run;                 // the arguments of `record`, as written
  std::vector<std::string> words;  // the same, split
};

// BASE/session-NAME.
std::string session_folder(const std::string& base, const std::string& name);

struct DaemonPlace {
  int folder = -1;      // the base, checked
  std::string path;     // of it
  std::string program;  // the executable that provides `record`
  sigset_t mask{};      // the signal mask it runs with
};

class DaemonSession {
 public:
  static Result<DaemonSession> start(const SessionPlan& plan, const DaemonPlace& place);

  i32 pid() const { return pid_; }
  std::chrono::steady_clock::time_point since() const { return since_; }
  int output_fd() const { return printed_.get(); }
  // Moves pending output to its file.
  void drain();

  // Writes a command into its fifo. The returned descriptor becomes readable when it answers; nothing if nobody reads
  // commands.
  std::optional<Fd> command(std::string_view word) const;
  void send(int signal_number) const;

 private:
  Fd folder_, printed_;
  std::optional<BoundedOutput> output_;
  i32 pid_ = -1;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace peregrine
