// The output of the program alone on a terminal: the commands that most people need first, and what to type next.
#pragma once
#include <string>
#include <string_view>

namespace peregrine::cmd {

// `program`: the name by which it was started.
std::string welcome_text(std::string_view program);

}  // namespace peregrine::cmd
