// Looks up the symbols in address filters, in files and in the running kernel.
#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "event/filter/address_filter.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr u64 kKernelHalf = u64{1} << 63;

class SystemCodeSymbols : public CodeSymbols {
 public:
  explicit SystemCodeSymbols(const Root& root) : root_(root) {}

  Result<std::string> place_of(std::string_view file) override {
    std::string place(file);
    if (root_.live()) {
      const std::unique_ptr<char, decltype(&::free)> real(::realpath(place.c_str(), nullptr), &::free);
      if (real == nullptr) return fail(ErrorKind::NotFound, "no such file: {}", file);
      place = real.get();
    } else if (!root_.exists(place)) {
      return fail(ErrorKind::NotFound, "no such file: {}", file);
    }
    if (place.find_first_of(" ,\n") != place.npos)
      return fail(ErrorKind::Unsupported, "the kernel does not accept spaces or commas in file names: {}", place);
    return place;
  }

  Result<std::vector<Symbol>> named(const std::string& file, std::string_view name) override {
    auto tables = this->tables(file);
    if (!tables) return std::unexpected(tables.error());
    std::vector<Symbol> found;
    for (const SymbolTable& table : **tables)
      for (Symbol& symbol : table.find_name(name)) found.push_back(std::move(symbol));
    if (!found.empty()) return found;
    for (const SymbolTable& table : **tables) {
      for (u32 i = 0; i < table.size(); ++i) {
        Symbol symbol = table.at(SymbolIndex(i));
        if (may_be_mangled(symbol.name) && demangle(symbol.name) == name) found.push_back(std::move(symbol));
      }
    }
    return found;
  }

  Result<Symbol> whole(const std::string& file) override {
    auto tables = this->tables(file);
    if (!tables) return std::unexpected(tables.error());
    Symbol all;
    for (const SymbolTable& table : **tables) {
      for (u32 i = 0; i < table.size(); ++i) {
        if (file.empty() && table.start(SymbolIndex(i)) < kKernelHalf) continue;  // offsets of per-CPU variables
        if (all.end == 0) all.start = table.start(SymbolIndex(i));
        all.end = std::max(all.end, table.end(SymbolIndex(i)));
      }
    }
    if (all.end == 0) return fail(ErrorKind::NotFound, "{} has no symbols", file);
    return all;
  }

 private:
  using Tables = std::vector<SymbolTable>;

  Result<const Tables*> tables(const std::string& file) {
    const auto known = files_.find(file);
    if (known != files_.end()) return &known->second;
    Tables tables;
    if (file.empty()) {
      auto kernel = load_kallsyms(root_.path("/proc/kallsyms"));
      if (!kernel) return std::unexpected(std::move(kernel.error()));
      if (kernel->hidden) {
        return std::unexpected(Error{ErrorKind::Denied, "the kernel hides the addresses of its symbols"}.with_hint(
            "run as root, or set kernel.kptr_restrict to 0"));
      }
      tables.push_back(std::move(kernel->kernel));
      for (ModuleSymbols& module : kernel->modules) tables.push_back(std::move(module.table));
    } else {
      auto elf = ElfFile::open(root_.path(file));
      if (!elf) return std::unexpected(std::move(elf.error()));
      auto table = load_elf_symbols(*elf);
      if (!table) return std::unexpected(std::move(table.error()));
      tables.push_back(std::move(*table));
    }
    return &files_.emplace(file, std::move(tables)).first->second;
  }

  Root root_;
  std::map<std::string, Tables> files_;
};

}  // namespace

std::unique_ptr<CodeSymbols> system_code_symbols(const Root& root) { return std::make_unique<SystemCodeSymbols>(root); }

}  // namespace peregrine
