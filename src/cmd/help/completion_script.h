// Shell completion made from the command table: one self-contained script per shell.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine::cmd {

// `shell`: bash, zsh or fish. `program`: the command that is completed. Errors: Usage for another shell.
Result<std::string> completion_script(std::string_view shell, std::string_view program);

// What `--list-cmds` and `--list-opts` print, as linux-perf's own completion asks for them; as there, options that the
// help hides are among them.
std::string command_words();
struct Command;
std::string option_words(const Command& command);

}  // namespace peregrine::cmd
