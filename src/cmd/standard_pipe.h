// Standard input and output as pipes: a recording then goes through them unless a file was named.
#pragma once
#include <sys/stat.h>

namespace peregrine::cmd {

inline bool is_pipe(int fd) {
  struct stat64 status{};
  return ::fstat64(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace peregrine::cmd
