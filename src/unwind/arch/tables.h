// One unwinding table per instruction set family, each in its own file here. Only unwind_arch.cc uses them.
#pragma once
#include "unwind/unwind_arch.h"

namespace peregrine {

const UnwindArch& x86_64_unwind_arch();
const UnwindArch& i386_unwind_arch();
const UnwindArch& arm64_unwind_arch();

}  // namespace peregrine
