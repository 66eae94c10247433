#include "capture/daemon/session.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace peregrine {
namespace {

Result<> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return fail_errno(path);
  return {};
}

// One of an earlier daemon may be there.
Result<> make_fifo(const std::string& path) {
  if (::mkfifo(path.c_str(), 0600) == 0) return {};
  const int error = errno;
  struct stat status{};
  if (error == EEXIST && ::lstat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) return {};
  return fail_errno(path, error);
}

// In the child, after fork: only async-signal-safe calls.
[[noreturn]] void run_child(const char* program, char* const* argv, const char* folder, int nothing, int output,
                            const sigset_t& mask) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::chdir(folder) != 0 || ::dup2(nothing, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) ::_exit(126);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv(program, argv);
  ::_exit(127);
}

}  // namespace

Result<DaemonSession> DaemonSession::start(const SessionPlan& plan, const std::string& base, const std::string& program,
                                           const sigset_t& mask) {
  DaemonSession session;
  session.plan_ = plan;
  session.folder_ = fmt::format("{}/session-{}", base, plan.name);
  PEREGRINE_TRY(make_folder(session.folder_));
  PEREGRINE_TRY(make_fifo(session.folder_ + "/control"));
  PEREGRINE_TRY(make_fifo(session.folder_ + "/ack"));
  const auto nothing = open_file("/dev/null", O_RDONLY);
  if (!nothing) return std::unexpected(nothing.error());
  const auto output = open_file(session.folder_ + "/output", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (!output) return std::unexpected(output.error());
  std::string options[] = {program, "record", "--control=fifo:control,ack"};
  std::vector<char*> argv;
  for (std::string& word : options) argv.push_back(word.data());
  for (std::string& word : session.plan_.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  session.pid_ = ::fork();
  if (session.pid_ < 0) return fail_errno("fork");
  if (session.pid_ == 0)
    run_child(program.c_str(), argv.data(), session.folder_.c_str(), nothing->get(), output->get(), mask);
  return session;
}

std::optional<Fd> DaemonSession::command(std::string_view word) const {
  auto answer = open_file(folder_ + "/ack", O_RDONLY | O_NONBLOCK);
  auto control = open_file(folder_ + "/control", O_WRONLY | O_NONBLOCK);
  if (!answer || !control) return std::nullopt;  // ENXIO: nobody has it open for reading
  char stale[256];                               // answers that came too late for an earlier question
  while (::read(answer->get(), stale, sizeof stale) > 0) {
  }
  const std::string line = std::string(word) + "\n";
  if (::write(control->get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return std::nullopt;
  return std::move(*answer);
}

void DaemonSession::send(int signal_number) const {
  if (pid_ > 0) ::kill(pid_, signal_number);
}

}  // namespace peregrine
