// The unwinding table of each instruction set; one file per family beside this one. Used by unwind_arch.cc alone.
#pragma once
#include "unwind/unwind_arch.h"

namespace peregrine {

const UnwindArch& x86_64_unwind_arch();
const UnwindArch& i386_unwind_arch();
const UnwindArch& arm64_unwind_arch();

}  // namespace peregrine
