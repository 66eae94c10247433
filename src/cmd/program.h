// program: from argv to an exit code. Global options, the choice of the command, its pager, and what is said of errors.
#pragma once
#include <span>
#include <string>

namespace peregrine::cmd {

// `argv` and `environment` as main got them. The exit code.
int run_program(std::span<char* const> argv, std::span<const std::string> environment);

}  // namespace peregrine::cmd
