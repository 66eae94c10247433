// SymbolFiles: the files with a dso's symbols, chosen among the candidates (debug_file.h) but not yet read.
//
// Two may be needed: one with .symtab, and the mapped file, because its program headers place the symbols.
// MiniDebugInfo is used if no file has .symtab. Each candidate adds an entry to tried().
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

class SymbolFiles {
 public:
  static SymbolFiles find(const std::string& path, const BuildId& recorded, const DebugSearch& search);

  // In order; the files used have MissReason::None.
  const std::vector<SymbolSource>& tried() const { return tried_; }
  u64 largest_file() const;  // bytes; 0 if nothing was found
  // Omits unreadable data: tried() then has Unreadable, even if only a part is missing.
  SymbolTable load();
  // The same; if no file has .symtab, adds functions found by unwind tables, named after `program`.
  SymbolTable load_all(std::string_view program);

 private:
  Search next() const;
  void offer(const SymbolCandidate& candidate, const BuildId& wanted, ReadFailures* failures);
  MissReason take(ElfFile file, SourceKind kind, SymbolSet& gave);
  void unpack_mini_debug();
  bool complete() const { return symbols_ && (runtime_ || symbols_->has_dynsym()); }

  std::vector<SymbolSource> tried_;
  std::optional<ElfFile> symbols_;   // has .symtab
  std::optional<ElfFile> runtime_;   // has .dynsym: the mapped file
  std::optional<ElfFile> nameless_;  // the dso if it has neither
  bool mini_ = false;                // symbols_ is MiniDebugInfo
};

}  // namespace peregrine
