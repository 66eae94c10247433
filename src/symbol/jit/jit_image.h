// ELF images of dumped code, for anything that reads ELF: disassembly, source lines, linux-perf.
//
//   jit_function_image   one function: .text at 0x80, then .eh_frame and .eh_frame_hdr as the compiler expects them,
//                        its symbol, a build-id, .debug_line: what `inject --jit` writes next to the dump
//   jit_dump_image       the whole dump: addresses are offsets in the dump, like dso addresses of dumped code
#pragma once
#include <cstddef>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

inline constexpr u64 kJitTextAt = 0x80;  // where linux-perf puts the code and maps expect it

struct JitImage {
  std::vector<std::byte> bytes;
  BuildId id;
};
JitImage jit_function_image(const JitDump& dump, const JitLoad& load);
// Unsupported if it is too large for memory.
Result<std::vector<std::byte>> jit_dump_image(const JitDump& dump);

}  // namespace peregrine
