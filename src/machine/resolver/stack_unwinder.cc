#include "machine/resolver/stack_unwinder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "abi/arch/registers.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/elf/elf_file.h"
#include "unwind/code_lookup.h"
#include "unwind/unwind_arch.h"

namespace peregrine {
namespace {

constexpr std::size_t kMemo = 16384;

std::size_t memo_slot(u64 address, DsoId dso) {
  constexpr u64 kMultiplier = 0x9e3779b97f4a7c15;
  return ((address + (u64{dso.value} << 20)) * kMultiplier >> 32) % kMemo;
}

}  // namespace

StackUnwinder::StackUnwinder(const Machine& machine, const CfiTables& tables)
    : machine_(machine), tables_(tables), unwinder_(*this), maps_(machine.spaces()) {}

void StackUnwinder::forget() {
  memo_.clear();
  opened_ = {};
  file_.reset();
}

UnwindStop StackUnwinder::unwind(const SpaceVersion& space, abi::Arch arch, ByteOrder order, const abi::Sample& sample,
                                 const UnwindLimits& limits, std::vector<u64>& out) {
  if (memo_.empty()) memo_.resize(kMemo);
  const abi::Registers& registers = sample.user_registers;
  const UnwindArch* unwinding = unwind_arch(arch, registers.abi);
  const bool cut = sample.user_stack.size() >= sample.user_stack_size;
  if (unwinding == nullptr ||
      !make_unwind_input(*unwinding, registers.mask, registers.values, sample.user_stack, cut, order, input_)) {
    return UnwindStop::Unsupported;
  }
  space_ = space;
  return unwinder_.unwind(input_, limits, out);
}

CodeAt StackUnwinder::at(u64 pc, PcKind kind) {
  const Map* map = maps_.find(space_, pc);
  if (map == nullptr && kind == PcKind::Return) map = maps_.find(space_, pc - 1);
  if (map == nullptr) return {};
  const u64 address = map->dso_address(pc);
  Memo& memo = memo_[memo_slot(address, map->dso)];
  if (memo.address != address || memo.dso != map->dso || memo.kind != kind) memo = look_up(*map, pc, kind);
  const bool executable = (map->protection & MapProtection::Exec) != 0;
  return CodeAt{memo.table, memo.rules, executable, executable && memo.trampoline};
}

// A hand-made stack (makecontext) returns to the first byte of a function, which does not follow a call. The rules of
// that byte then apply.
StackUnwinder::Memo StackUnwinder::look_up(const Map& map, u64 pc, PcKind kind) {
  Memo memo{map.dso_address(pc), map.dso, kind};
  const DsoCfi& cfi = tables_.of(map.dso);
  memo.table = &cfi.table;
  CfiTable::Both rules;
  if (const auto address = cfi.virtual_address(memo.address)) rules = cfi.table.find_both(*address);
  const bool exact =
      kind == PcKind::Exact || (rules.at != nullptr && rules.at->signal_frame) || rules.before == nullptr;
  memo.rules = exact ? rules.at : rules.before;
  memo.trampoline = rules.at == nullptr && (map.protection & MapProtection::Exec) != 0 && is_trampoline(pc);
  if (memo.trampoline) memo.rules = nullptr;
  return memo;
}

u64 StackUnwinder::bias(u64 pc) {
  const Map* map = maps_.find(space_, pc);
  if (map == nullptr) return 0;
  const auto address = tables_.of(map->dso).virtual_address(map->dso_address(pc));
  return address ? pc - *address : 0;
}

bool StackUnwinder::is_trampoline(u64 pc) {
  const auto expected = std::as_bytes(input_.arch->trampoline);
  std::array<std::byte, 16> bytes;
  const auto there = std::span(bytes).first(expected.size());
  return read(pc, there) && std::ranges::equal(there, expected);
}

bool StackUnwinder::read(u64 address, std::span<std::byte> out) {
  const Map* map = maps_.find(space_, address);
  if (map == nullptr || map->identity || out.size() > map->end - address || !tables_.of(map->dso).readable)
    return false;
  if (opened_ != map->dso) {
    opened_ = map->dso;
    Result<ElfFile> file = machine_.dsos().open_code(map->dso);
    if (file) {
      file_.emplace(std::move(*file));
    } else {
      file_.reset();
    }
  }
  return file_ && file_->read_into(map->dso_address(address), out);
}

}  // namespace peregrine
