// Finds every name that a file's symbol tables give to an address; SymbolTable keeps only one of them.
#pragma once
#include <string_view>
#include <vector>

#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

// Virtual addresses of the functions defined with that name in .symtab and .dynsym, without duplicates. Ignores
// versions ("@…").
std::vector<u64> find_function_addresses(const ElfFile& file, std::string_view name);
// The same including variables and labels, but not thread-local ones.
std::vector<u64> find_symbol_addresses(const ElfFile& file, std::string_view name);
// Whether the symbol is defined or imported there.
bool mentions_symbol(const ElfFile& file, std::string_view name);

}  // namespace peregrine
