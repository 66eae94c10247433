#include "output/terminal/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace peregrine {

Result<Pager> Pager::start(const std::string& command, const std::vector<std::string>& environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pager");
  Fd from(ends[0]);
  Pager pager;
  pager.fd_ = Fd(ends[1]);

  std::vector<std::string> copies(environment);
  std::vector<char*> variables;
  for (std::string& variable : copies) variables.push_back(variable.data());
  variables.push_back(nullptr);
  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, from.get(), STDIN_FILENO);
  const int failed = posix_spawn(&pager.pid_, "/bin/sh", &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pager.pid_ = -1;
    return fail_errno("pager", failed);
  }
  return pager;
}

void Pager::wait() {
  fd_.reset();
  if (pid_ < 0) return;
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace peregrine
