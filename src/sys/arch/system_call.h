// system_call: the numbers, on this machine, of system calls that a confined process must not make, or not directly.
//
// Read by call_filter.cc. Old calls that newer architectures lack (open, rename, …) are in the lists where they exist.
#pragma once
#include <optional>
#include <span>

#include "base/types.h"

namespace peregrine {

// Seccomp's AUDIT_ARCH_* of this architecture; nothing: no filter is known for it.
std::optional<u32> audit_arch();
// The first number that belongs to another ABI of the same kernel (x32); nothing: there is no such ABI.
std::optional<u32> foreign_calls();

// The newest call considered when these lists were made.
inline constexpr u32 kNewestJudgedCall = 469;

std::span<const u32> denied_calls();    // denied to every process
std::span<const u32> program_calls();   // start programs
std::span<const u32> network_calls();   // besides socket(2)
std::span<const u32> signal_calls();    // the first argument is the process
std::span<const u32> changing_calls();  // create, rename, remove or change files
std::span<const u32> opening_calls();   // may open for writing, depending on the flags
std::span<const u32> linking_calls();   // give a file another name
std::span<const u32> symlink_calls();   // create symbolic links

// The action and calling convention of a call in changing_calls(), opening_calls() or symlink_calls().
enum class CallKind {
  Open,
  Create,
  OpenAt,
  OpenAt2,
  MakeFolder,
  MakeFolderAt,
  RemoveFolder,
  Remove,
  RemoveAt,
  Rename,
  RenameAt,
  RenameAt2,
  ChangeMode,
  MakeLink,
  MakeLinkAt,
  Other
};
CallKind call_kind(u32 call);

// Returns the index of the argument with the open flags. `call` must be one of opening_calls().
u32 open_flags_argument(u32 call);

}  // namespace peregrine
