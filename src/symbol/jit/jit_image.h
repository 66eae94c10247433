// ELF images made of dumped code, for all that reads ELF: disassembly, source lines, linux-perf.
//
//   jit_function_image   one function: .text at 0x80, .eh_frame and .eh_frame_hdr behind it as the compiler wants them,
//                        its symbol, a build-id, .debug_line: what `inject --jit` puts beside the dump
//   jit_dump_image       the whole dump: every address is a place in the dump, as dso addresses of dumped code are
#pragma once
#include "base/build_id.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

inline constexpr u64 kJitTextAt = 0x80;  // where linux-perf puts the code, and maps speak of

struct JitImage {
  std::vector<std::byte> bytes;
  BuildId id;
};
JitImage jit_function_image(const JitDump& dump, const JitLoad& load);
// Unsupported when it is too large to be held.
Result<std::vector<std::byte>> jit_dump_image(const JitDump& dump);

}  // namespace peregrine
