// kernel_symbol_lines(): the symbols of the recorded kernel and its modules as lines of /proc/kallsyms.
#pragma once
#include <string>

#include "machine/machine.h"

namespace peregrine {

// `recorded`: the recording's copy of the list, or -1. Empty if the symbols are unknown.
std::string kernel_symbol_lines(const Machine& machine, int recorded);

}  // namespace peregrine
