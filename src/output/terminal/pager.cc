#include "output/terminal/pager.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <expected>
#include <utility>

#include "base/result.h"
#include "sys/sandbox/privileges.h"

namespace peregrine {

namespace {

// Runs between fork(2) and execve(2). The pager may show untrusted text and can start other programs, so it drops
// root's privileges. If that fails, the text is shown anyway.
void give_up_privileges() {
  if (::geteuid() != 0) return;
  // Keep read access: the pager may be in a folder that other users cannot read.
  static_cast<void>(keep_capabilities(capability_bit(CAP_DAC_READ_SEARCH)));
  static_cast<void>(deny_new_privileges());
}

// Never returns. Writes errno to `failures` if the pager does not start.
[[noreturn]] void become_pager(int text, int failures, char* const* words, char* const* variables) {
  give_up_privileges();
  // A descriptor that already is standard input would be closed by execve(2), so clear its FD_CLOEXEC.
  const bool ready = text == STDIN_FILENO ? ::fcntl(text, F_SETFD, 0) == 0 : ::dup2(text, STDIN_FILENO) >= 0;
  if (ready) ::execve("/bin/sh", words, variables);
  const int error = errno;
  static_cast<void>(!::write(failures, &error, sizeof error));
  ::_exit(127);
}

Result<std::pair<Fd, Fd>> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("pager");
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

}  // namespace

Result<Pager> Pager::start(const std::string& command, const std::vector<std::string>& environment) {
  auto text = new_pipe();
  if (!text) return std::unexpected(std::move(text.error()));
  auto failures = new_pipe();
  if (!failures) return std::unexpected(std::move(failures.error()));
  std::vector<std::string> copies(environment);
  std::vector<char*> variables;
  for (std::string& variable : copies) variables.push_back(variable.data());
  variables.push_back(nullptr);
  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};

  Pager pager;
  pager.pid_ = ::fork();
  if (pager.pid_ < 0) return fail_errno("pager");
  if (pager.pid_ == 0) become_pager(text->first.get(), failures->second.get(), argv.data(), variables.data());
  pager.fd_ = std::move(text->second);
  failures->second.reset();
  int error = 0;
  if (read_full(failures->first.get(), &error, sizeof error).value_or(0) == sizeof error) {
    pager.wait();
    return fail_errno("pager", error);
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
