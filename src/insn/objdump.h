// Objdump: the instructions of an address range as printed by a user-chosen objdump.
//
// For instruction sets and dialects not supported here. One process per call; its symbols are removed, since ours
// replace them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine {

struct ObjdumpRequest {
  std::string program;  // searched in PATH if it has no slash
  std::string style;    // -M, if not empty
  std::string file;
  u64 begin = 0, end = 0;  // virtual addresses
};

Result<std::vector<Instruction>> run_objdump(const ObjdumpRequest& request);

// Parses its output; `end`: end of the last instruction.
std::vector<Instruction> parse_objdump(std::string_view text, u64 end);

}  // namespace peregrine
