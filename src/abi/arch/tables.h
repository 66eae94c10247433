// The register table of each architecture; one file each beside this one. Used by registers.cc alone.
#pragma once
#include "abi/arch/registers.h"

namespace peregrine::abi {

const RegisterTable& x86_registers();
const RegisterTable& arm_registers();
const RegisterTable& arm64_registers();
const RegisterTable& riscv_registers();
const RegisterTable& powerpc_registers();
const RegisterTable& s390_registers();

}  // namespace peregrine::abi
