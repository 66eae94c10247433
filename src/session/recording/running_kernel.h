// running_kernel(): a Machine with the kernel and its modules as a new recording would describe them. Names functions
// for commands that get kernel addresses live.
#pragma once
#include <memory>

#include "machine/dso/dso.h"
#include "machine/machine.h"

namespace peregrine {

std::unique_ptr<Machine> running_kernel(SymbolPlaces places);

}  // namespace peregrine
