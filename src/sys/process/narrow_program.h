// 32-bit programs on a 64-bit kernel: their system calls have different numbers and structs.
#pragma once
#include <string>
#include <string_view>

#include "sys/process/process.h"

namespace peregrine {

// Whether that file is one; false for what cannot be read.
bool is_narrow_program(const std::string& path);
// Whether execvp(3) would find one: `search_path` is $PATH.
bool is_narrow_command(std::string_view command, std::string_view search_path);
// Whether the process runs one.
bool runs_narrow_program(const Root& root, Pid process);

}  // namespace peregrine
