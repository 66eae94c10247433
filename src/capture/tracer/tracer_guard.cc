#include "capture/tracer/tracer_guard.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace peregrine {
namespace {

constexpr char kDone = 'd';

// Nobody who waits for the end of a pipe of ours may have to wait for this process.
void keep_only(int fd) {
  if (fd > 0) ::syscall(SYS_close_range, 0u, static_cast<unsigned>(fd) - 1, 0);
  ::syscall(SYS_close_range, static_cast<unsigned>(fd) + 1, ~0u, 0);
}

}  // namespace

std::vector<std::string> TracerGuard::run() const {
  if (saved_) return saved_->restore();
  if (!instance_) return {};
  // A removed instance takes all its settings with it. Somebody may still be reading it for a moment.
  (void)instance_->set("tracing_on", "0");
  (void)instance_->set("current_tracer", "nop");
  for (unsigned attempt = 0; attempt < 50; ++attempt) {
    if (instance_->remove() || errno != EBUSY) return {};
    ::usleep(10'000);
  }
  return {instance_->path()};
}

Result<TracerGuard> TracerGuard::start(std::optional<SavedTracer> saved, std::optional<TraceFolder> instance) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorKind::System, "pipe: {}", std::strerror(errno));
  Fd wait_end(ends[0]), alive(ends[1]);
  TracerGuard guard(std::move(saved), std::move(instance), std::move(alive));
  const pid_t child = ::fork();
  if (child == 0) {
    const int own = wait_end.release();
    keep_only(own);
    ::setsid();
    if (::fork() != 0) ::_exit(0);  // no child behind that somebody must wait for
    char word = 0;
    if (::read(own, &word, 1) != 1 || word != kDone) guard.run();
    ::_exit(0);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return guard;
}

std::vector<std::string> TracerGuard::undo() {
  if (!alive_) return {};
  std::vector<std::string> refused = run();
  [[maybe_unused]] const ssize_t told = ::write(alive_.get(), &kDone, 1);
  alive_.reset();
  return refused;
}

TracerGuard::~TracerGuard() { undo(); }

}  // namespace peregrine
