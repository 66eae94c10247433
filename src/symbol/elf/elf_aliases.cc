#include "symbol/elf/elf_aliases.h"

#include <elf.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

namespace {

bool is_function(u8 type) { return type == STT_FUNC || type == STT_GNU_IFUNC; }
bool is_placed(u8 type) { return is_function(type) || type == STT_OBJECT || type == STT_NOTYPE; }

struct NamedSymbol {
  u64 value = 0;
  u8 type = 0;
  u16 section = 0;
};

// Calls take(NamedSymbol) for each symbol with that name.
void visit_symbols(const ElfFile& file, std::string_view name, const std::function<void(const NamedSymbol&)>& take) {
  for (const ElfSection& section : file.sections()) {
    if ((section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) || section.link >= file.sections().size()) continue;
    const auto bytes = file.contents(section);
    const auto names = file.contents(file.sections()[section.link]);
    if (!bytes || !names) continue;
    const auto* text = reinterpret_cast<const char*>(names->data());
    ByteReader reader(*bytes, file.order());
    const std::size_t size = file.is_64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    while (reader.left() >= size) {
      const u32 at = reader.get32();
      u64 value = 0;
      if (!file.is_64()) {
        value = reader.get32();
        reader.skip(4);
      }
      const u8 type = reader.get8() & 0xf;
      reader.skip(1);
      const u16 index = reader.get16();
      if (file.is_64()) {
        value = reader.get64();
        reader.skip(8);
      }
      if (at >= names->size()) continue;
      const std::string_view whole(text + at, ::strnlen(text + at, names->size() - at));
      if (whole.substr(0, whole.find('@')) == name) take({value, type, index});
    }
  }
}

std::vector<u64> find_addresses(const ElfFile& file, std::string_view name, bool (*wanted)(u8 type)) {
  std::vector<u64> found;
  visit_symbols(file, name, [&](const NamedSymbol& symbol) {
    if (!wanted(symbol.type) || symbol.section == SHN_UNDEF || symbol.section == SHN_ABS) return;
    if (std::ranges::find(found, symbol.value) == found.end()) found.push_back(symbol.value);
  });
  return found;
}

}  // namespace

std::vector<u64> find_function_addresses(const ElfFile& file, std::string_view name) {
  return find_addresses(file, name, is_function);
}

std::vector<u64> find_symbol_addresses(const ElfFile& file, std::string_view name) {
  return find_addresses(file, name, is_placed);
}

bool mentions_symbol(const ElfFile& file, std::string_view name) {
  bool found = false;
  visit_symbols(file, name, [&](const NamedSymbol&) { found = true; });
  return found;
}

}  // namespace peregrine
