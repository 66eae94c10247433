// DaemonSession: one run of `record` that a daemon started, in a folder of its own below the daemon's base:
//
//   BASE/session-NAME/  output   what it prints (output_file.h)
//                       control  fifo: commands to it (record --control)
//                       ack      fifo: its answers
//                       perf.data, perf.data.TIME…  what it records
//
// What it prints comes through a pipe, so that its size can be bounded: call drain() when output_fd() is readable. The
// session ends with its daemon, however that ends. One thread.
#pragma once
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/daemon/bounded_output.h"

namespace peregrine {

struct SessionPlan {
  std::string name;
  std::string run;                 // what follows `record`, as it was written
  std::vector<std::string> words;  // and as words
};

struct DaemonPlace {
  int folder = -1;      // the base, judged
  std::string path;     // of it
  std::string program;  // the executable whose `record` is run
  sigset_t mask{};      // the signal mask it shall run with
};

class DaemonSession {
 public:
  static Result<DaemonSession> start(const SessionPlan& plan, const DaemonPlace& place);

  i32 pid() const { return pid_; }
  std::chrono::steady_clock::time_point since() const { return since_; }
  int output_fd() const { return printed_.get(); }
  // Moves what it printed so far into its output file.
  void drain();

  // Writes a command into its fifo. What is readable once it has answered; nothing if nobody reads the command.
  std::optional<Fd> command(std::string_view word) const;
  void send(int signal_number) const;

 private:
  Fd folder_, printed_;
  std::optional<BoundedOutput> output_;
  i32 pid_ = -1;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace peregrine
