#include "base/concurrency/own_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/fd.h"

namespace peregrine {

namespace {

std::string text_of(const Fd& file) {
  std::string text;
  char piece[1 << 14];
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file.get(), piece, sizeof piece, at);
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
    at += got;
  }
}

// Returns false if the process has not ended within the limit.
bool ends_within(pid_t pid, std::chrono::seconds limit) {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return true;  // Linux before 5.3: the caller then waits without a limit
  pollfd wait{.fd = process.get(), .events = POLLIN, .revents = 0};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  return ::poll(&wait, 1, static_cast<int>(left)) > 0;
}

}  // namespace

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

Result<OwnRun> run_own(std::span<const std::string> arguments, const std::string& folder, std::chrono::seconds limit) {
  const Fd out(::memfd_create("out", MFD_CLOEXEC)), err(::memfd_create("err", MFD_CLOEXEC));
  if (!out || !err) return fail_errno("memfd");
  std::string program = own_program();
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = -1;
  const int refused = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return fail_errno(program, refused);
  OwnRun run;
  run.timed_out = !ends_within(pid, limit);
  if (run.timed_out) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  run.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = text_of(out);
  run.err = text_of(err);
  return run;
}

}  // namespace peregrine
