#include "capture/target/workload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <expected>
#include <utility>

namespace peregrine {
namespace {

// Runs in the child after fork, so only async-signal-safe calls are allowed. Waits for the go byte, then execs the
// command.
[[noreturn]] void run_child(char* const* argv, int go, int report, const sigset_t& mask, bool stdout_to_stderr) {
  if (stdout_to_stderr) ::dup2(2, 1);
  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(go, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1) ::_exit(0);  // the recorder gave up or died
  for (const int signal_number : {SIGINT, SIGQUIT, SIGTERM, SIGUSR2, SIGPIPE, SIGCHLD}) {
    struct sigaction old;
    if (::sigaction(signal_number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) ::signal(signal_number, SIG_DFL);
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(argv[0], argv);
  const int error = errno;
  if (::write(report, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

Result<> make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  return {};
}

}  // namespace

bool WorkloadExit::exited() const { return WIFEXITED(status); }
int WorkloadExit::code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }
int WorkloadExit::signal() const { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

Result<Workload> Workload::start(const std::vector<std::string>& command, const sigset_t& mask, bool stdout_to_stderr) {
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Workload workload;
  workload.name_ = command.front();
  Fd go_read, report_write;
  PEREGRINE_TRY(make_pipe(go_read, workload.go_));
  PEREGRINE_TRY(make_pipe(workload.report_, report_write));
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno("fork");
  if (pid == 0) {
    ::close(workload.go_.get());
    run_child(argv.data(), go_read.get(), report_write.get(), mask, stdout_to_stderr);
  }
  workload.pid_ = pid;
  // Before Linux 5.3 there is no pidfd: fd() is -1, and callers poll with ended_now().
  workload.pid_fd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return workload;
}

Workload::Workload(Workload&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      pid_fd_(std::move(other.pid_fd_)),
      go_(std::move(other.go_)),
      report_(std::move(other.report_)),
      released_(other.released_),
      exit_(other.exit_) {}

Workload::~Workload() {
  if (pid_ < 0 || exit_) return;
  if (released_) {  // do not wait: it may handle SIGTERM slowly or never
    ::kill(pid_, SIGTERM);
    return;
  }
  go_.reset();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

Result<> Workload::release() {
  PEREGRINE_TRY(let_go());
  return exec_result();
}

Result<> Workload::release_held(const std::function<Result<>()>& before) {
  if (::ptrace(PTRACE_SEIZE, pid_, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0) {
    auto failure = fail_errno("cannot stop the command after its exec");
    failure.error().hint =
        "resolving a command's symbols requires ptrace(2), which is not allowed here: start it, then use -p";
    return failure;
  }
  PEREGRINE_TRY(let_go());
  auto held = stopped_behind_exec();
  if (!held) return std::unexpected(std::move(held.error()));
  if (!*held) return exec_result();
  auto done = before();
  if (!done) ::kill(pid_, SIGKILL);
  ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr);
  if (!done) {
    wait();
    return done;
  }
  return exec_result();
}

// Returns false if the child ended without exec.
Result<bool> Workload::stopped_behind_exec() {
  for (;;) {
    WorkloadExit end;
    const pid_t pid = ::wait4(pid_, &end.status, 0, &end.usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid != pid_) return fail_errno("cannot wait for the command's exec");
    if (!WIFSTOPPED(end.status)) {
      exit_ = end;
      return false;
    }
    if (end.status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) return true;
    const bool of_signal = end.status >> 16 == 0;  // pass other signals on
    ::ptrace(PTRACE_CONT, pid_, nullptr, of_signal ? WSTOPSIG(end.status) : 0);
  }
}

Result<> Workload::let_go() {
  released_ = true;
  const char byte = 1;
  PEREGRINE_TRY(write_all(go_.get(), &byte, 1));
  go_.reset();
  return {};
}

Result<> Workload::exec_result() {
  if (!report_) return {};
  int error = 0;
  auto size = read_full(report_.get(), &error, sizeof error);
  report_.reset();
  if (!size || *size == 0) return {};  // closed by a successful exec
  wait();
  return fail_errno(fmt::format("cannot run '{}'", name_), error);
}

void Workload::send(int signal_number) {
  if (!exit_ && released_) ::kill(pid_, signal_number);
}

bool Workload::ended_now() {
  if (exit_) return true;
  WorkloadExit end;
  const pid_t pid = ::wait4(pid_, &end.status, WNOHANG, &end.usage);
  if (pid == pid_) exit_ = end;
  return exit_.has_value();
}

const WorkloadExit& Workload::wait() {
  while (!exit_) {
    WorkloadExit end;
    const pid_t pid = ::wait4(pid_, &end.status, 0, &end.usage);
    if (pid == pid_ || (pid < 0 && errno != EINTR)) exit_ = end;
  }
  return *exit_;
}

Result<std::optional<Workload>> start_watched(const std::vector<std::string>& command, Watch& watch) {
  if (command.empty()) return std::nullopt;
  auto workload = Workload::start(command, watch.previous_mask());
  if (!workload) return std::unexpected(std::move(workload.error()));
  watch.set_workload(workload->fd());
  return std::move(*workload);
}

}  // namespace peregrine
