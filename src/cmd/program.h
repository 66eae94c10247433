// program: from argv to an exit code: global options, choice of the command, the pager, and error messages.
#pragma once
#include <span>
#include <string>

namespace peregrine::cmd {

// `argv` and `environment`: as passed to main. Returns the exit code.
int run_program(std::span<char* const> argv, std::span<const std::string> environment);

}  // namespace peregrine::cmd
