// Every name that a file's symbol tables give to an address: SymbolTable keeps one of those that share it.
#pragma once
#include <functional>
#include <string_view>

#include "symbol/elf/elf_file.h"

namespace peregrine {

// Virtual addresses of the defined functions with that name in .symtab and .dynsym, each once; a version behind '@'
// does not count.
std::vector<u64> find_function_addresses(const ElfFile& file, std::string_view name);
// The same of variables and labels, too; not of those that each thread has its own of.
std::vector<u64> find_symbol_addresses(const ElfFile& file, std::string_view name);
// Defined there or wanted of another file.
bool mentions_symbol(const ElfFile& file, std::string_view name);

}  // namespace peregrine
