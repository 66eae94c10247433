// The subcommand `kwork top`.
#pragma once
#include "cli/frame/command.h"

namespace peregrine::cmd {

extern const Command kKworkTop;

}  // namespace peregrine::cmd
