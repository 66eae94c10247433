// ImageTypes: what the instructions of one dso access. Each function is analysed once, on first use.
//
// Opens the dso's code, debug information and call frame information on first use. Not thread safe. Types in its
// answers live as long as it does.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "analysis/data_type/data_access.h"
#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/function_accesses.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/thread_variables.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/code_image.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

class ImageTypes {
 public:
  ImageTypes(const DsoTable& dsos, DsoId dso);
  // `address`: a dso address.
  DataAccess find(u64 address);
  // The mnemonic at the address; empty if it cannot be decoded.
  std::string mnemonic(u64 address);

 private:
  void open_debug();
  DataAccess without_types(u64 address, UnknownType why);
  // nullptr if no function is described there.
  const FunctionAccesses* function_covering(u64 address);
  FunctionAccesses follow(DebugEntry function);
  const FixedVariables& fixed_of(const EntryUnit& unit);
  const ThreadVariables& thread();
  KnownValue result_of(u64 callee);
  std::size_t read(u64 address, std::span<std::byte> out) const;

  const DsoTable& dsos_;
  DsoId dso_;
  std::optional<CodeImage> code_;
  std::unique_ptr<Disassembler> disassembler_;
  std::unique_ptr<DebugInformation> debug_;
  u64 debug_bias_ = 0;  // added to a virtual address of the code, gives the address in the debug information
  CfiTable frames_;
  SymbolTable symbols_;
  struct Followed {
    u64 end = 0;
    std::size_t function = 0;  // index in accesses_
  };
  std::map<u64, Followed> functions_;  // by start of each range of the functions
  std::deque<FunctionAccesses> accesses_;
  std::map<const EntryUnit*, std::unique_ptr<FixedVariables>> fixed_;
  std::unique_ptr<ThreadVariables> thread_;
  std::map<u64, KnownValue> results_;  // by function
};

}  // namespace peregrine
