// Finds the .ko file with a kernel module's symbols, to be read by load_elf_symbols() with ElfAddresses::Module.
//
// Needed only for recordings of another boot or machine; the running kernel lists its modules' symbols.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

// The path of a module in the text of modules.dep, with lines like "kernel/fs/xfs/xfs.ko.xz: …"; empty if it is not
// listed. `bracketed_name`: "[xfs]", with '_' for '-'.
std::string find_in_modules_dep(std::string_view text, std::string_view bracketed_name);

struct ModuleFile {
  std::optional<ElfFile> file;  // with sections placed as in the kernel: ElfFile::place_as_module()
  std::vector<SymbolSource> tried;
};
// Tries the recorded path, the build-id cache, then /lib/modules/RELEASE by modules.dep; for debug information also the
// same paths below /usr/lib/debug. A recorded build-id must match. Without `part`: the file with the symbols.
ModuleFile find_module(std::string_view bracketed_name, const std::string& path, const std::string& release,
                       const BuildId& recorded, const DebugSearch& search, std::optional<DsoPart> part = {});

}  // namespace peregrine
