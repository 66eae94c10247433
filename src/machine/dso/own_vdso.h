// own_vdso: copies of the vdso images that this kernel maps into its processes, which stand for the recorded ones on
// the same kernel.
//
// A 64-bit kernel has another image for 32-bit programs, and this process has none of it. A small 32-bit program is run
// that writes its own to a pipe; that fails in a sandbox, and where the kernel runs no such programs.
#pragma once
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace peregrine {

// Names of dsos, as linux-perf gives them.
constexpr std::string_view kVdsoName = "[vdso]", kVdso32Name = "[vdso32]";
inline bool is_vdso_name(std::string_view name) { return name == kVdsoName || name == kVdso32Name; }
// The name of the dso that a map called "[vdso]" is of; `end`: its first address behind. 32-bit programs have it below
// 4 GiB, others far above.
inline std::string_view vdso_name_of_map(u64 end) { return end <= u64{1} << 32 ? kVdso32Name : kVdsoName; }

// That of this process. NotFound when it has none.
Result<std::vector<std::byte>> own_vdso();
// That of 32-bit x86 programs. Runs one: not for threads that hold locks for long.
Result<std::vector<std::byte>> vdso_of_32_bit_programs();
// By the dso's name.
Result<std::vector<std::byte>> vdso_image(std::string_view name);

}  // namespace peregrine
