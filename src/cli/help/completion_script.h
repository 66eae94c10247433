// Shell completion made from the command table: one self-contained script per shell.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"

namespace peregrine {

// `shell`: bash, zsh or fish. `program`: the name that is completed. Errors: Usage for another shell.
Result<std::string> completion_script(std::string_view shell, std::string_view program,
                                      std::span<const Command* const> commands);

// What `--list-cmds` and `--list-opts` print, as linux-perf's own completion asks for them; as there, options that the
// help hides are among them.
std::string command_words(std::span<const Command* const> commands);
std::string option_words(const Command& command);

}  // namespace peregrine
