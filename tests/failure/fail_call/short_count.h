// A read or write that transfers only part of the request: performed here, on a copy of the caller's descriptor, with
// half the size. Only where the kernel could do the same: on files, and on pipes and sockets for more than they
// transfer in one piece.
#pragma once
#include <linux/seccomp.h>

#include "failure/fail_call/call_table.h"

namespace peregrine::failure {

// The kernel's control files must receive each write as a whole.
bool is_control_file(int fd);

bool may_be_short(const Call& call, const seccomp_notif& notice);

// The call's result: the number of bytes, or -errno. May block as the call would have.
long do_half(const Call& call, const seccomp_notif& notice);

}  // namespace peregrine::failure
