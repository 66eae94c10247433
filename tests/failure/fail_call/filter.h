// Starts a command under a seccomp filter that notifies a listener of its system calls.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine::failure {

struct Started {
  pid_t pid = -1;
  Fd listener;
};

Result<Started> start_filtered(const std::vector<std::string>& command, const std::vector<int>& calls);

}  // namespace peregrine::failure
