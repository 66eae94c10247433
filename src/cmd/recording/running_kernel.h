// The running kernel as a new recording would describe it; names functions in live commands.
#pragma once
#include <memory>

#include "cmd/recording/recording.h"
#include "machine/machine.h"

namespace peregrine::cmd {

// Where its symbols are.
SymbolPlaces running_kernel_places(const SymbolOptions& symbols, const Config& config);
std::unique_ptr<Machine> running_kernel(const SymbolOptions& symbols, const Config& config);

}  // namespace peregrine::cmd
