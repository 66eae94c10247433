// The copy of the running kernel that `record --kcore` keeps beside its data, for disassembly on other machines:
//
//   PATH/data   PATH/kcore_dir/kcore   PATH/kcore_dir/kallsyms   PATH/kcore_dir/modules
//
// /proc/kcore shows all of memory; the copy has its ELF form but only the kernel's and its modules' code.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "sys/root.h"

namespace peregrine {

// Makes the folder `name` in the open folder `parent`, where it must not be yet; after an error it is gone again.
// Returns the descriptors of its files, then that of the folder, in the order in which they are to be synced. Errors:
// Unsupported where there is no readable /proc/kcore or addresses are hidden; those of writing.
Result<std::vector<Fd>> copy_kernel(const Root& root, int parent, const std::string& name);

}  // namespace peregrine
