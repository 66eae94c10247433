// CallFilter: the seccomp program of a confined reader, which limits its system calls.
//
// Denied calls return an errno, so that an overlooked one leads to a message and not a crash. Calls that change files
// go to the broker (file_broker.h) where there is one. An installed filter cannot be removed; children and threads that
// start later inherit it.
#pragma once
#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

#include "base/fd.h"

namespace peregrine {

struct CallRules {
  bool broker = false;    // calls that change files ask the broker
  bool writing = true;    // without a broker: files may be opened for writing and changed, as far as others allow
  bool links = false;     // symbolic links may be made where files may
  bool programs = false;  // may be started
  bool network = false;   // sockets of the internet
  bool tracing = false;   // ptrace, which the leak sanitizer needs
  bool signals = false;   // to any process; else to `self`
  pid_t self = 0;
};

// Empty on an architecture that it does not know.
std::vector<sock_filter> call_filter(const CallRules& rules);

// For this thread; the kernel wants no_new_privs first. With `broker`, the descriptor that gets the notifications;
// else an empty one.
Result<Fd> install_call_filter(const std::vector<sock_filter>& filter, bool broker);

}  // namespace peregrine
