// answer() of cli/frame/command.h is defined beside this header: -h, --help and --list-opts of every command.
#pragma once
#include "cli/frame/command.h"

namespace peregrine {

// The exit code after a usage line.
inline constexpr int kUsageExit = 129;

// The width of a manual page, as man(1) chooses it: $MANWIDTH, then $COLUMNS, then the terminal.
unsigned manual_columns(const Invocation& call);

}  // namespace peregrine
