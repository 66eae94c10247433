// StackUnwinder: finds the user callers of a sample that recorded registers and part of its stack.
//
// Belongs to one worker, like a Resolver, and uses the same unchanging machine to find the map of a pc and the dso's
// CFI. It remembers results by (dso, address), which are shared by all processes that run the code.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/process/recent_maps.h"
#include "machine/resolver/cfi_tables.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/elf/elf_file.h"
#include "unwind/code_lookup.h"
#include "unwind/unwinder.h"

namespace peregrine {

class StackUnwinder : private CodeLookup {
 public:
  StackUnwinder(const Machine& machine, const CfiTables& tables);

  // Forgets data about addresses; call before tables are released.
  void forget();

  // Whether the sample has user registers and some stack, so that it can be unwound.
  static bool has_stack(const abi::Sample& sample) {
    return !sample.user_registers.values.empty() && !sample.user_stack.empty();
  }
  // Appends the pc and the return addresses. The sample must satisfy has_stack().
  UnwindStop unwind(const SpaceVersion& space, abi::Arch arch, ByteOrder order, const abi::Sample& sample,
                    const UnwindLimits& limits, std::vector<u64>& out);

 private:
  struct Memo {  // half a cache line
    u64 address = 0;
    DsoId dso;  // invalid: unused
    PcKind kind = PcKind::Exact;
    bool trampoline = false;
    const CfiTable* table = nullptr;
    const CfiRules* rules = nullptr;
  };
  CodeAt at(u64 pc, PcKind kind) override;
  u64 bias(u64 pc) override;
  bool read(u64 address, std::span<std::byte> out) override;
  Memo look_up(const Map& map, u64 pc, PcKind kind);
  bool is_trampoline(u64 pc);

  const Machine& machine_;
  const CfiTables& tables_;
  Unwinder unwinder_;
  UnwindInput input_;
  SpaceVersion space_;
  RecentMaps maps_;
  std::vector<Memo> memo_;
  DsoId opened_;
  std::optional<ElfFile> file_;  // file of opened_
};

}  // namespace peregrine
