// SymbolFiles: the files with the symbols of a dso, chosen among its candidates (debug_file.h) but not yet read.
//
// Two may be wanted: one with .symtab, and the one that programs map, whose program headers place the symbols. Where
// nothing has .symtab, MiniDebugInfo stands for it. Every candidate leaves a line in tried().
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "symbol/lookup/debug_file.h"

namespace peregrine {

class SymbolFiles {
 public:
  static SymbolFiles find(const std::string& path, const BuildId& recorded, const DebugSearch& search);

  // In order; those taken have MissReason::None.
  const std::vector<SymbolSource>& tried() const { return tried_; }
  u64 largest_file() const;  // bytes; 0 when nothing was found
  // What cannot be read is not in it: tried() then says Unreadable, also when only a part is missing.
  SymbolTable load();
  // The same; where no file has .symtab, functions that unwind tables tell of are added, called after `program`.
  SymbolTable load_all(std::string_view program);

 private:
  Search next() const;
  void offer(const SymbolCandidate& candidate, const BuildId& wanted, ReadFailures* failures);
  MissReason take(ElfFile file, SourceKind kind, SymbolSet& gave);
  void unpack_mini_debug();
  bool complete() const { return symbols_ && (runtime_ || symbols_->has_dynsym()); }

  std::vector<SymbolSource> tried_;
  std::optional<ElfFile> symbols_;   // has .symtab
  std::optional<ElfFile> runtime_;   // has .dynsym: what programs map
  std::optional<ElfFile> nameless_;  // the dso itself when it has neither
  bool mini_ = false;                // symbols_ is MiniDebugInfo
};

}  // namespace peregrine
