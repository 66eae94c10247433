// Pager: a program such as less that shows what is written to fd().
//
// Started only when stdout is a terminal. A pager of root keeps no capability but the one to read and search, since the
// text may come from a stranger and a pager can start other programs (docs/sandbox.md). Leaving the pager early closes
// the pipe: the next write raises SIGPIPE, or fails with EPIPE where that is blocked.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"

namespace peregrine {

class Pager {
 public:
  // `command` is a shell command line, as $PAGER is; `environment`: NAME=value strings for it.
  static Result<Pager> start(const std::string& command, const std::vector<std::string>& environment);
  Pager(Pager&& other) noexcept : fd_(std::move(other.fd_)), pid_(std::exchange(other.pid_, -1)) {}
  Pager& operator=(Pager&&) = delete;
  ~Pager() { wait(); }

  int fd() const { return fd_.get(); }
  // Closes the pipe and waits until the reader has left.
  void wait();

 private:
  Pager() = default;
  Fd fd_;
  int pid_ = -1;
};

}  // namespace peregrine
