// If standard input or output is a pipe, recordings go through it unless a file is named.
#pragma once
#include <sys/stat.h>

namespace peregrine {

inline bool is_pipe(int fd) {
  struct stat64 status{};
  return ::fstat64(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace peregrine
