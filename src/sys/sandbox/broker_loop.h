// The broker's side of file_broker.h: receives the system calls that the kernel stopped, checks and answers them.
#pragma once
#include "sys/sandbox/file_broker.h"

namespace peregrine {

// Until all confined processes are gone, or a byte on `line` says that nothing more will be asked. `otherwise_kernel`:
// see FileBroker::start().
void answer_calls(int notifications, int line, const OutputGrants& grants, bool otherwise_kernel);

}  // namespace peregrine
