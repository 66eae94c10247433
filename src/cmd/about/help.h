// Help texts about commands, shared by main, help and every command's -h.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine::cmd {

// What the program says when called without a command, or with --help.
std::string command_list(std::string_view program);

// "NAME: 'word' is not a NAME-command …", with the nearest command as the hint.
Error unknown_command(std::string_view program, std::string_view word);

}  // namespace peregrine::cmd
