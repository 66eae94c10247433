// The list of all commands, and the error for an unknown command.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"

namespace peregrine {

// The output without a command, or with --help. Omits hidden commands.
std::string command_list(std::string_view program, std::span<const Command* const> commands);

// "'word' is not a NAME-command …", with the nearest command that is not hidden as the hint.
Error unknown_command(std::string_view program, std::string_view word, std::span<const Command* const> commands);

}  // namespace peregrine
