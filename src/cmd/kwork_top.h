// The subcommand `kwork top`.
#pragma once
#include "cmd/command.h"

namespace peregrine::cmd {

extern const Command kKworkTop;

}  // namespace peregrine::cmd
