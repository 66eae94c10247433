// One register table per architecture, each defined in its own file here. Only registers.cc uses them.
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
