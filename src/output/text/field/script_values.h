// Single sample fields in `script`: registers, branches, data sources, page sizes.
#pragma once
#include <string>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// " ABI:2    AX:0x1 …" by the names of `arch`; nothing if the sample has none, as in kernel threads.
void put_registers(ScriptText& out, const abi::Registers& registers, abi::Arch arch);
// A BPF program's output, eight bytes per line, and as text if printable: "\n      BPF output: 0000: 48 65 … He\n…".
void put_bpf_output(ScriptText& out, Bytes bytes);
// "        68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A"
void put_data_source(ScriptText& out, u64 data_source);
// "RET", "COND", …; empty if unknown.
std::string_view branch_type_name(const abi::BranchEntry& branch);
std::string_view branch_type_name(unsigned type);
// C's "%#x": zero has no prefix.
std::string prefixed_hex(u64 value);
// " 4K"
void put_page_size(ScriptText& out, u64 bytes);

}  // namespace peregrine
