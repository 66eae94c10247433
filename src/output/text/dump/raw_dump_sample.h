// The details of a sample in -D: "(IP, 0x2): 7/7: 0x401000 period: 1 addr: 0\n", then lines for each recorded field:
// callchain, branches, registers, stack, weight, addresses, counters.
#pragma once
#include <string>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"

namespace peregrine {

void append_raw_sample(std::string& out, const abi::Sample& sample, const abi::RecordView& record,
                       const abi::EventAttr& attr, abi::Arch arch);

}  // namespace peregrine
