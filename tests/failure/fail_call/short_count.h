// A read or write that gets only part of what it asked for: done here, on a copy of the caller's descriptor, with half
// the size. Only where the kernel may really answer so: files, and pipes and sockets for more than they pass on in one
// piece.
#pragma once
#include <linux/seccomp.h>

#include "failure/fail_call/call_table.h"

namespace peregrine::failure {

// Control files of the kernel take what one write gives them as a whole.
bool is_control_file(int fd);

bool may_be_short(const Call& call, const seccomp_notif& notice);

// The answer of the call: how many bytes, or -errno. May wait as the call would have waited.
long do_half(const Call& call, const seccomp_notif& notice);

}  // namespace peregrine::failure
