// Implements answer() of cli/frame/command.h: -h, --help, --list-opts and --list-cmds of every command.
#pragma once
#include "cli/frame/command.h"

namespace peregrine {

// The exit code after printing a usage line.
inline constexpr int kUsageExit = 129;

// Returns the width of a manual page, chosen like man(1) does: $MANWIDTH, then $COLUMNS, then the terminal.
unsigned manual_columns(const Invocation& call);

}  // namespace peregrine
