// load_thread_symbols(): where the symbol table of a file says that thread-local variables lie in its block of them.
//
// For compilers that leave the places out of debug information, as those for arm64 do.
#pragma once
#include <string>
#include <unordered_map>

#include "symbol/elf/elf_file.h"

namespace peregrine {

struct ThreadSymbol {
  u64 offset = 0;
  bool is_one = true;  // false: several variables have the name
};

Result<std::unordered_map<std::string, ThreadSymbol>> load_thread_symbols(const ElfFile& file);

}  // namespace peregrine
