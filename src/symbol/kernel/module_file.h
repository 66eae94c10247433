// Kernel modules: which .ko file holds a module's symbols. load_elf_symbols() with ElfAddresses::Module reads it.
//
// The running kernel's own list names the symbols of its modules; this is for recordings of another boot or machine.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbol/lookup/debug_file.h"

namespace peregrine {

// The file of a module in the text of modules.dep, whose lines are "kernel/fs/xfs/xfs.ko.xz: …"; empty when it lists
// none of that name. `bracketed_name`: "[xfs]", with '_' for '-'.
std::string find_in_modules_dep(std::string_view text, std::string_view bracketed_name);

struct ModuleFile {
  std::optional<ElfFile> file;  // with its code where the kernel puts it: ElfFile::place_as_module()
  std::vector<SymbolSource> tried;
};
// The recorded path, the build-id cache, then /lib/modules/RELEASE by modules.dep; for debug information also what
// /usr/lib/debug has for those paths. A recorded build-id must agree. Without `part`: the file with the symbols.
ModuleFile find_module(std::string_view bracketed_name, const std::string& path, const std::string& release,
                       const BuildId& recorded, const DebugSearch& search, std::optional<DsoPart> part = {});

}  // namespace peregrine
