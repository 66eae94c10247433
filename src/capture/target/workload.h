// Workload: the command a profile is about, held back between fork and exec until the events are open.
//
//   start()   child exists, waits on a pipe, its pid can be given to perf_event_open
//   release() lets it exec; tells whether exec worked
//   wait()    reaps it once fd() is readable; its exit status and resource use
//
// It keeps our stdio, its own process group and the signal mask that was in force before start() blocked anything.
#pragma once
#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/target/target.h"
#include "capture/target/watch.h"

namespace peregrine {

struct WorkloadExit {
  int status = 0;  // as of wait(2)
  rusage usage{};
  bool exited() const;
  int code() const;    // exit code when it exited
  int signal() const;  // ending signal, 0 when it exited
};

class Workload {
 public:
  // `mask`: the signal mask the command shall run with. `stdout_to_stderr`: our stdout carries perf.data.
  static Result<Workload> start(const std::vector<std::string>& command, const sigset_t& mask,
                                bool stdout_to_stderr = false);
  Workload(Workload&& other) noexcept;
  Workload& operator=(Workload&&) = delete;
  // A child that was never released is ended. One that runs is asked to end (SIGTERM): after an error nobody wants it.
  ~Workload();

  Pid pid() const { return pid_; }
  int fd() const { return pid_fd_.get(); }  // pidfd: readable when it has ended
  // Errors: exec's, with the command's name ("No such file or directory").
  Result<> release();
  // The same, held once more when exec has worked, before its first instruction, while `before` runs. The command is
  // traced for that moment: not by others at the same time, and a setuid program stays without its rights.
  Result<> release_held(const std::function<Result<>()>& before);
  // As release() without waiting for exec: our waking up would preempt what is being counted. exec_result() tells
  // afterwards (waits for exec or its failure).
  Result<> let_go();
  Result<> exec_result();
  void send(int signal_number);
  // Blocks until it ends; the first call reaps it, later ones repeat the answer.
  const WorkloadExit& wait();
  // Reaps it if it has ended. For kernels before 5.3, where fd() is -1.
  bool ended_now();
  bool ended() const { return exit_.has_value(); }

 private:
  Workload() = default;
  Result<bool> stopped_behind_exec();
  std::string name_;  // what is to be run
  Pid pid_ = -1;
  Fd pid_fd_, go_, report_;
  bool released_ = false;
  std::optional<WorkloadExit> exit_;
};

// The command, held back, with its end among what `watch` waits for; nothing where there is no command.
Result<std::optional<Workload>> start_watched(const std::vector<std::string>& command, Watch& watch);

}  // namespace peregrine
