#include "capture/daemon/session.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "capture/daemon/base_folder.h"

namespace peregrine {
namespace {

// In the child, after fork: only async-signal-safe calls.
[[noreturn]] void run_child(const char* program, char* const* argv, int folder, int nothing, int output, pid_t parent,
                            const sigset_t& mask) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(126);  // the daemon died before prctl()
  if (::fchdir(folder) != 0 || ::dup2(nothing, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) ::_exit(126);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv(program, argv);
  ::_exit(127);
}

}  // namespace

std::string session_folder(const std::string& base, const std::string& name) { return base + "/session-" + name; }

Result<DaemonSession> DaemonSession::start(const SessionPlan& plan, const DaemonPlace& place) {
  DaemonSession session;
  const std::string path = session_folder(place.path, plan.name);
  auto folder = make_private_folder(place.folder, path.substr(place.path.size() + 1), path);
  if (!folder) return std::unexpected(std::move(folder.error()));
  session.folder_ = std::move(*folder);
  PEREGRINE_TRY(make_private_fifo(session.folder_.get(), "control", path + "/control"));
  PEREGRINE_TRY(make_private_fifo(session.folder_.get(), "ack", path + "/ack"));
  auto output = BoundedOutput::open(session.folder_.get(), path);
  if (!output) return std::unexpected(std::move(output.error()));
  session.output_ = std::move(*output);
  const auto nothing = open_file("/dev/null", O_RDONLY);
  if (!nothing) return std::unexpected(nothing.error());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  session.printed_ = Fd(ends[0]);
  const Fd printed(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // only our end is non-blocking
  // Without -o, record would write its data to the pipe on stdout. A later -o in the plan overrides this one.
  std::vector<std::string> words{place.program, "record", "--control=fifo:control,ack", "-o", "perf.data"};
  words.insert(words.end(), plan.words.begin(), plan.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  session.pid_ = ::fork();
  if (session.pid_ < 0) return fail_errno("fork");
  if (session.pid_ == 0)
    run_child(place.program.c_str(), argv.data(), session.folder_.get(), nothing->get(), printed.get(), parent,
              place.mask);
  return session;
}

void DaemonSession::drain() {
  constexpr int kMostReads = 16;  // let other sessions have their turn
  char piece[65536];
  for (int i = 0; printed_ && i < kMostReads; ++i) {
    const ssize_t size = ::read(printed_.get(), piece, sizeof piece);
    if (size > 0) {
      output_->append({piece, static_cast<std::size_t>(size)});
      continue;
    }
    if (size == 0) printed_.reset();
    if (size < 0 && errno == EINTR) continue;
    return;
  }
}

std::optional<Fd> DaemonSession::command(std::string_view word) const {
  Fd answer(::openat(folder_.get(), "ack", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  const Fd control(::openat(folder_.get(), "control", O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!answer || !control) return std::nullopt;  // ENXIO: no reader
  char stale[256];                               // late answers to earlier questions
  while (::read(answer.get(), stale, sizeof stale) > 0) {
  }
  const std::string line = std::string(word) + "\n";
  if (::write(control.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return std::nullopt;
  return answer;
}

void DaemonSession::send(int signal_number) const {
  if (pid_ > 0) ::kill(pid_, signal_number);
}

}  // namespace peregrine
