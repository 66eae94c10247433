// The broker's side of file_broker.h: receives the system calls that the kernel stopped, checks them, and answers.
#pragma once
#include "sys/sandbox/file_broker.h"

namespace peregrine {

// Returns when all confined processes are gone, or when a byte on `line` announces that no more calls will come.
// `otherwise_kernel`: see FileBroker::start().
void answer_calls(int notifications, int line, const OutputGrants& grants, bool otherwise_kernel);

}  // namespace peregrine
