// The details of a sample in -D: "(IP, 0x2): 7/7: 0x401000 period: 1 addr: 0\n", then lines for each recorded field:
// callchain, branches, registers, stack, the numbers of abi/recorded_field.h, counters.
#pragma once
#include <span>
#include <string>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/recorded_field.h"
#include "abi/sample.h"

namespace peregrine {

struct RawSampleContext {
  const abi::EventAttr& attr;  // of its event
  abi::Arch arch;
  std::span<const abi::RecordedField* const> numbers;  // in_turn<&abi::RecordedField::dump>()
};

void append_raw_sample(std::string& out, const abi::Sample& sample, const abi::RecordView& record,
                       const RawSampleContext& context);

}  // namespace peregrine
