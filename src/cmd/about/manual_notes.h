// What a manual page has besides a command's options: the meaning of the columns of its tables, and related commands.
#pragma once
#include <string_view>

#include "cli/help/manual.h"

namespace peregrine::cmd {

// `command`: a name of command_table.h. Every command has notes.
ManualNotes manual_notes(std::string_view command);

}  // namespace peregrine::cmd
