// CodeFiles: the instruction bytes of a machine's symbols.
//
// A dso's bytes come from its CodeImage; a BPF program's come from the recording, through add(). Files stay open. One
// thread at a time. Errors say what to install or specify.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/code_image.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// A separately decoded part of a symbol's bytes: offsets [begin, end).
struct CodeSection {
  std::string name;  // ".text"; empty: the file has no section headers
  u64 begin = 0;
  u64 end = 0;
};

struct SymbolCode {
  std::vector<std::byte> bytes;
  u64 address = 0;  // virtual address of the first byte in the file, as disassemblers show it
  Isa isa = Isa::Unknown;
  ByteOrder order = ByteOrder::Little;
  std::vector<CodeSection> sections;  // ascending; gaps are padding
  std::string file;                   // where the bytes came from
};

class CodeFiles {
 public:
  explicit CodeFiles(const Machine& machine);
  ~CodeFiles();

  // Adds recorded code that is in no file; copies `bytes`.
  void add(u64 address, std::span<const std::byte> bytes, Isa isa);

  Result<SymbolCode> read(DsoId dso, SymbolIndex symbol);
  // The symbol that covers an address of the dso's file, for "work+0x60"; invalid if none does.
  struct Place {
    SymbolIndex symbol;
    u64 offset = 0;
  };
  Place find_symbol(DsoId dso, u64 virtual_address);

 private:
  struct Loose {
    std::vector<std::byte> bytes;
    Isa isa = Isa::Unknown;
  };
  const Result<CodeImage>& open(DsoId dso);
  Result<SymbolCode> read_loose(DsoId dso) const;

  const Machine& machine_;
  std::unordered_map<u32, std::unique_ptr<Result<CodeImage>>> files_;  // by dso
  std::unordered_map<u64, Loose> loose_;                               // by address
};

}  // namespace peregrine
