// The manual page of the program itself, peregrine(1): its commands, its global options, files and variables.
#pragma once
#include <span>
#include <string_view>

#include "cli/frame/command.h"
#include "cli/help/manual.h"
#include "cli/option/option.h"

namespace peregrine {

// `options`: the global ones.
Manual program_manual(std::string_view program, std::span<const Command* const> commands,
                      std::span<const Option> options);

}  // namespace peregrine
