// Workload: the profiled command, held between fork and exec until the events are open.
//
//   start()   the child exists and waits on a pipe; its pid can be passed to perf_event_open
//   release() lets it exec, and reports whether exec worked
//   wait()    reaps it once fd() is readable; returns its exit status and resource usage
//
// It shares our stdio, and has its own process group and the signal mask from before start() blocked anything.
#pragma once
#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/target/watch.h"
#include "sys/process/process.h"

namespace peregrine {

struct WorkloadExit {
  int status = 0;  // see wait(2)
  rusage usage{};
  bool exited() const;
  int code() const;    // exit code, or 128 + signal
  int signal() const;  // terminating signal, 0 if it exited
};

class Workload {
 public:
  // `mask`: the command's signal mask. `stdout_to_stderr`: for when our stdout carries perf.data.
  static Result<Workload> start(const std::vector<std::string>& command, const sigset_t& mask,
                                bool stdout_to_stderr = false);
  Workload(Workload&& other) noexcept;
  Workload& operator=(Workload&&) = delete;
  // Kills a child that was never released. Asks a running one to end (SIGTERM), since after an error nobody needs it.
  ~Workload();

  Pid pid() const { return pid_; }
  int fd() const { return pid_fd_.get(); }  // pidfd: readable once it has ended
  // Errors: exec's, with the command's name ("No such file or directory").
  Result<> release();
  // The same, but stops the command after exec, before its first instruction, while `before` runs. It is traced during
  // that time: nobody else can trace it, and a setuid program does not gain privileges.
  Result<> release_held(const std::function<Result<>()>& before);
  // Like release(), without waiting for exec: waking up here would preempt what is being counted. exec_result() waits
  // for exec and returns its result.
  Result<> let_go();
  Result<> exec_result();
  void send(int signal_number);
  // Blocks until it ends; the first call reaps it, later ones return the same result.
  const WorkloadExit& wait();
  // Reaps it if it has ended. For kernels before 5.3, where fd() is -1.
  bool ended_now();
  bool ended() const { return exit_.has_value(); }

 private:
  Workload() = default;
  Result<bool> stopped_behind_exec();
  std::string name_;  // the command's name
  Pid pid_ = -1;
  Fd pid_fd_, go_, report_;
  bool released_ = false;
  std::optional<WorkloadExit> exit_;
};

// Starts the command, held, and adds its end to `watch`; nothing if there is no command.
Result<std::optional<Workload>> start_watched(const std::vector<std::string>& command, Watch& watch);

}  // namespace peregrine
