// 32-bit programs on a 64-bit kernel: their system calls have different numbers and structs.
#pragma once
#include <string>
#include <string_view>

#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// Whether the file is a 32-bit program; false if it cannot be read.
bool is_narrow_program(const std::string& path);
// Whether execvp(3) would find a 32-bit program. `search_path` is $PATH.
bool is_narrow_command(std::string_view command, std::string_view search_path);
// Whether the process runs a 32-bit program.
bool runs_narrow_program(const Root& root, Pid process);

}  // namespace peregrine
