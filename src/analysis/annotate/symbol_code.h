// CodeFiles: the instruction bytes behind the symbols of a machine's dsos.
//
// A dso's bytes come from its CodeImage, a BPF program's from the recording, by add(). Files are kept open. One thread
// at a time. Errors say what to install, or to name.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "insn/instruction.h"
#include "machine/machine.h"
#include "machine/resolver/code_image.h"

namespace peregrine {

// Part of a symbol's bytes, decoded apart from the others: [begin, end) from the symbol's start.
struct CodeSection {
  std::string name;  // ".text"; empty: the file has no section headers
  u64 begin = 0;
  u64 end = 0;
};

struct SymbolCode {
  std::vector<std::byte> bytes;
  u64 address = 0;  // of the first byte, as disassemblers show it: the virtual address of the file
  Isa isa = Isa::Unknown;
  ByteOrder order = ByteOrder::Little;
  std::vector<CodeSection> sections;  // ascending; what lies between two is padding
  std::string file;                   // where the bytes were read
};

class CodeFiles {
 public:
  explicit CodeFiles(const Machine& machine);
  ~CodeFiles();

  // Code that no file has, as the recording holds it. `bytes` are copied.
  void add(u64 address, std::span<const std::byte> bytes, Isa isa);

  Result<SymbolCode> read(DsoId dso, SymbolIndex symbol);
  // The symbol that covers an address of that dso's file, for "work+0x60"; invalid when there is none.
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
