// Shell completion generated from the command table: one self-contained script per shell.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"

namespace peregrine {

// `shell`: bash, zsh or fish. `program`: the command name to complete. Errors: Usage for another shell.
Result<std::string> completion_script(std::string_view shell, std::string_view program,
                                      std::span<const Command* const> commands);

// The output of `--list-cmds` and `--list-opts`, which linux-perf's own completion calls. As in linux-perf, it includes
// hidden options, and a blank after each item in a command's list.
std::string command_words(std::span<const Command* const> commands);
std::string subcommand_list(const Command& command);
std::string option_words(const Command& command);

// Returns the values of a command's first argument, such as the short names of its parts.
std::vector<std::string_view> subcommand_words(const Command& command);

}  // namespace peregrine
