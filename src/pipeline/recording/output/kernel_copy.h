// Copies the running kernel next to a recording (`record --kcore`), for disassembly on other machines:
//
//   PATH/data   PATH/kcore_dir/kcore   PATH/kcore_dir/kallsyms   PATH/kcore_dir/modules
//
// /proc/kcore maps all memory; the copy is also ELF but contains only the code of the kernel and its modules.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sys/root.h"

namespace peregrine {

// Creates the folder `name` in the open folder `parent`, where it must not exist; removes it on error. Returns the
// descriptors of its files, then the folder's, in the order for syncing. Errors: Unsupported, /proc/kcore is unreadable
// or addresses are hidden; writing.
Result<std::vector<Fd>> copy_kernel(const Root& root, int parent, const std::string& name);

}  // namespace peregrine
