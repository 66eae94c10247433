// program: from argv to an exit code: global options, choice of the command, its pager, and error messages.
#pragma once
#include <span>
#include <string>

namespace peregrine::cmd {

// `argv` and `environment` as main got them. The exit code.
int run_program(std::span<char* const> argv, std::span<const std::string> environment);

}  // namespace peregrine::cmd
