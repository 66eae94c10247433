// recorded_arch: the architecture of the recorded machine, which defines the meaning of register numbers.
#pragma once
#include "abi/arch/registers.h"
#include "data/feature/features.h"

namespace peregrine::data {

// Uses the feature ARCH, else E_MACHINE, else the architecture of this machine.
abi::Arch recorded_arch(const Features& features);

}  // namespace peregrine::data
