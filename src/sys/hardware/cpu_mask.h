// Sets of CPUs as the kernel writes and parses them: hexadecimal groups of 32 bits, highest first ("1,00000003").
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

// The CPUs of a mask, ascending; empty if it is malformed.
std::vector<u32> cpus_of_mask(std::string_view mask);

std::string cpu_mask(const CpuList& cpus);

}  // namespace peregrine
