#include "session/daemon/background_daemon.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <expected>
#include <utility>

#include "base/fd.h"
#include "capture/daemon/bounded_output.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

// Redirects standard output and standard error to this file.
Result<> redirect_output(int file) {
  if (::dup2(file, STDOUT_FILENO) < 0 || ::dup2(file, STDERR_FILENO) < 0) return fail_errno("dup2");
  return {};
}

Result<> run_in_child(DaemonServer& server, BoundedOutput& output) {
  ::setsid();
  if (::fchdir(server.folder()) != 0) return fail_errno("fchdir");
  const auto nothing = open_file("/dev/null", O_RDONLY);
  if (!nothing) return std::unexpected(nothing.error());
  if (::dup2(nothing->get(), STDIN_FILENO) < 0) return fail_errno("dup2");
  PEREGRINE_TRY(redirect_output(output.fd()));
  server.set_log([&output](std::string_view line) {
    // True: the file was full, and output continues in a new file.
    if (output.append(daemon_log_line(line))) static_cast<void>(redirect_output(output.fd()));
  });
  return server.run();
}

}  // namespace

std::string daemon_log_line(std::string_view line) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::localtime_r(&now.tv_sec, &parts);
  char stamp[32];
  ::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  return fmt::format("[{}.{:06}] {}\n", stamp, now.tv_nsec / 1000, printable(line));
}

Result<> run_in_background(DaemonServer& server, const std::string& base) {
  auto output = BoundedOutput::open(server.folder(), base);
  if (!output) return std::unexpected(std::move(output.error()));
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child == 0) return run_in_child(server, *output);
  server.leave_to_other();
  return {};
}

}  // namespace peregrine
