// system_call: this machine's numbers of the system calls that a confined process may not make, or not by itself.
//
// Read by call_filter.cc. Old calls that younger architectures lack (open, rename, …) are in the lists where they
// exist.
#pragma once
#include <optional>
#include <span>

#include "base/types.h"

namespace peregrine {

// AUDIT_ARCH_* as seccomp names this architecture; nothing: no filter is known for it.
std::optional<u32> audit_arch();
// Numbers from here on belong to another ABI of the same kernel (x32); nothing: there is none.
std::optional<u32> foreign_calls();

// The newest call that was judged when these lists were made.
inline constexpr u32 kNewestJudgedCall = 469;

std::span<const u32> denied_calls();    // whatever the process is for
std::span<const u32> program_calls();   // starting programs
std::span<const u32> network_calls();   // beside socket(2)
std::span<const u32> signal_calls();    // their first argument is the process
std::span<const u32> changing_calls();  // make, rename, remove or change files
std::span<const u32> opening_calls();   // may open for writing: the flags tell
std::span<const u32> linking_calls();   // give a file one more name
std::span<const u32> symlink_calls();   // make symbolic links

// What one of changing_calls(), opening_calls() or symlink_calls() does, and how it is called.
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

// Where open flags are: the index of the argument. `call` is one of opening_calls().
u32 open_flags_argument(u32 call);

}  // namespace peregrine
