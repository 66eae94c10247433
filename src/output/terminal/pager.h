// Pager: a program such as less that shows what is written to fd().
//
// Started only if stdout is a terminal. When root, the pager keeps only the capability to read and search files, since
// the text is untrusted and pagers can run programs (docs/sandbox.md). Leaving the pager closes the pipe: the next
// write raises SIGPIPE, or fails with EPIPE if that is blocked.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class Pager {
 public:
  // `command`: a shell command line, like $PAGER; `environment`: NAME=value strings for it.
  static Result<Pager> start(const std::string& command, const std::vector<std::string>& environment);
  Pager(Pager&& other) noexcept : fd_(std::move(other.fd_)), pid_(std::exchange(other.pid_, -1)) {}
  Pager& operator=(Pager&&) = delete;
  ~Pager() { wait(); }

  int fd() const { return fd_.get(); }
  // Closes the pipe and waits for the pager to exit.
  void wait();

 private:
  Pager() = default;
  Fd fd_;
  int pid_ = -1;
};

}  // namespace peregrine
