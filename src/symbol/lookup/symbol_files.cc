#include "symbol/lookup/symbol_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/types.h"
#include "symbol/cfi/function_extents.h"
#include "symbol/compression/stored_elf.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {

SymbolFiles SymbolFiles::find(const std::string& path, const BuildId& recorded, const DebugSearch& search) {
  const auto [wanted, failed] = wanted_build(path, recorded, search);
  SymbolFiles files;
  if (failed != MissReason::None) files.tried_.push_back({SourceKind::Dso, path, failed});
  const auto visit = [&](const SymbolCandidate& candidate, MissReason miss) {
    if (files.complete()) return Search::Enough;
    if (miss != MissReason::None)
      files.tried_.push_back({candidate.kind, candidate.path, miss});
    else
      files.offer(candidate, search.ignore_build_id ? BuildId() : wanted, search.failures);
    return files.next();
  };
  for_each_candidate(path, wanted, search, {ServerFile::DebugInfo, ServerFile::Executable}, visit);
  if (!files.symbols_) files.unpack_mini_debug();
  return files;
}

// Servers are only queried for a full symbol table; a missing .dynsym does not justify a query.
Search SymbolFiles::next() const {
  if (complete()) return Search::Enough;
  return symbols_ ? Search::NoServers : Search::Continue;
}

void SymbolFiles::offer(const SymbolCandidate& candidate, const BuildId& wanted, ReadFailures* failures) {
  SymbolSource& source = tried_.emplace_back(SymbolSource{candidate.kind, candidate.path});
  OpenedFile opened = open_candidate(candidate.path, failures);
  source.miss = opened.miss;
  source.error = opened.error;
  if (!opened.file) return;
  source.miss = verify_build(*opened.file, wanted, candidate.crc);
  if (opened.file->read_failed()) source.miss = MissReason::Unreadable;
  if (source.miss == MissReason::None) source.miss = take(std::move(*opened.file), candidate.kind, source.gave);
}

MissReason SymbolFiles::take(ElfFile file, SourceKind kind, SymbolSet& gave) {
  if (!symbols_ && file.has_symtab()) {
    symbols_ = std::move(file);
    gave = SymbolSet::All;
    return MissReason::None;
  }
  if (!runtime_ && file.has_dynsym()) {
    runtime_ = std::move(file);
    gave = SymbolSet::Exported;
    return MissReason::None;
  }
  if (symbols_ || runtime_) return MissReason::NotNeeded;
  if (!nameless_ && kind != SourceKind::DebugLink) nameless_ = std::move(file);
  return MissReason::NoSymbols;
}

void SymbolFiles::unpack_mini_debug() {
  std::optional<ElfFile>& outer = runtime_ ? runtime_ : nameless_;
  if (!outer) return;
  auto inner = open_mini_debug(*outer);
  if (!inner) return;
  tried_.push_back({SourceKind::MiniDebug, outer->name() + " (.gnu_debugdata)", MissReason::None, SymbolSet::All});
  symbols_ = std::move(*inner);
  mini_ = true;
  if (!runtime_) runtime_ = std::move(nameless_);
}

u64 SymbolFiles::largest_file() const {
  const auto size_of = [](const std::optional<ElfFile>& file) { return file ? file->file_size() : 0; };
  return std::max({size_of(symbols_), size_of(runtime_), size_of(nameless_)});
}

SymbolTable SymbolFiles::load_all(std::string_view program) {
  const std::optional<ElfFile>& stripped = runtime_ ? runtime_ : nameless_;
  if (symbols_ || !stripped) return load();
  return SymbolTableBuilder::add_unnamed(load(), program, function_extents(*stripped));
}

SymbolTable SymbolFiles::load() {
  const ElfFile* runtime = runtime_ ? &*runtime_ : symbols_ ? &*symbols_ : nullptr;
  if (runtime == nullptr) return {};
  auto table = load_elf_symbols(symbols_ ? *symbols_ : *runtime, *runtime, ElfAddresses::FileOffset,
                                mini_ ? Exports::OfRuntime : Exports::OfSymbols);
  const auto failed = [](const std::optional<ElfFile>& file) { return file && file->read_failed(); };
  if (failed(symbols_) || failed(runtime_) || (!table && is_machine_failure(table.error()))) {
    for (SymbolSource& source : tried_)
      if (source.miss == MissReason::None) source.miss = MissReason::Unreadable;
  }
  return table ? std::move(*table) : SymbolTable();
}

}  // namespace peregrine
