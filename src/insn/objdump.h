// Objdump: the instructions of a range of addresses as an objdump of the user's choice prints them.
//
// For instruction sets and dialects that nothing here reads. One process per call; its symbols are dropped, since ours
// are put there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "insn/instruction.h"

namespace peregrine {

struct ObjdumpRequest {
  std::string program;  // looked for in PATH when it has no slash
  std::string style;    // -M, when not empty
  std::string file;
  u64 begin = 0, end = 0;  // virtual addresses
};

Result<std::vector<Instruction>> run_objdump(const ObjdumpRequest& request);

// Its text; `end` is where the last instruction ends.
std::vector<Instruction> parse_objdump(std::string_view text, u64 end);

}  // namespace peregrine
