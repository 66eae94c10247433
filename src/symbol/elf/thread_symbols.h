// load_thread_symbols(): the offsets of thread-local variables in their TLS block, from the symbol table.
//
// For compilers that omit them from debug information, such as those for arm64.
#pragma once
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct ThreadSymbol {
  u64 offset = 0;
  bool is_one = true;  // false: several variables have this name
};

Result<std::unordered_map<std::string, ThreadSymbol>> load_thread_symbols(const ElfFile& file);

}  // namespace peregrine
