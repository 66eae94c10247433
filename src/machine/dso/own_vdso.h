// own_vdso: copies of the vdso images that this kernel maps into processes. They replace the recorded ones if the
// kernel is the same.
//
// A 64-bit kernel has another image for 32-bit programs, which this process does not have. So we run a small 32-bit
// program that writes its vdso to a pipe. That fails in a sandbox, and if the kernel does not run 32-bit programs.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Dso names used by linux-perf.
constexpr std::string_view kVdsoName = "[vdso]", kVdso32Name = "[vdso32]";
inline bool is_vdso_name(std::string_view name) { return name == kVdsoName || name == kVdso32Name; }
// Returns the dso name for a map "[vdso]" that ends at `end`. In 32-bit programs it is below 4 GiB, in others far
// above.
inline std::string_view vdso_name_of_map(u64 end) { return end <= u64{1} << 32 ? kVdso32Name : kVdsoName; }

// Returns the vdso of this process. NotFound: it has none.
Result<std::vector<std::byte>> own_vdso();
// Returns the vdso of 32-bit x86 programs. Runs a program, so do not call this while holding a contended lock.
Result<std::vector<std::byte>> vdso_of_32_bit_programs();
// Returns the image for a dso name.
Result<std::vector<std::byte>> vdso_image(std::string_view name);

}  // namespace peregrine
