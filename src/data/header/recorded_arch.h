// recorded_arch: the architecture of the recorded machine, which defines the meaning of register numbers.
#pragma once
#include "abi/arch/registers.h"
#include "data/header.h"

namespace peregrine::data {

// ARCH names it; a recording without ARCH may have E_MACHINE. When it has neither, that of this machine.
abi::Arch recorded_arch(const Features& features);

}  // namespace peregrine::data
