// CallFilter: the seccomp program of a confined reader, which limits its system calls.
//
// Denied calls return an errno, so that an overlooked one leads to a message and not a crash. Calls that change files
// go to the broker (file_broker.h), if there is one. An installed filter cannot be removed; children and threads that
// start later inherit it.
#pragma once
#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

struct CallRules {
  bool broker = false;    // calls that change files go to the broker
  bool writing = true;    // without a broker: files may be written and changed, unless something else forbids it
  bool links = false;     // symbolic links may be created where files may
  bool programs = false;  // programs may be started
  bool network = false;   // internet sockets
  bool tracing = false;   // ptrace, required by the leak sanitizer
  bool signals = false;   // to any process; otherwise only to `self`
  pid_t self = 0;
};

// Returns an empty program on an unknown architecture.
std::vector<sock_filter> call_filter(const CallRules& rules);

// Installs the filter for this thread; the kernel requires no_new_privs. With `broker`, returns the descriptor for the
// notifications, otherwise an empty one.
Result<Fd> install_call_filter(const std::vector<sock_filter>& filter, bool broker);

}  // namespace peregrine
