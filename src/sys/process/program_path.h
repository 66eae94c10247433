// Where a program is that a command names: the search that execvp(3) does in $PATH.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// The folders of `search_path` ($PATH), in order. An empty entry is the current folder, and becomes ".".
std::vector<std::string> search_folders(std::string_view search_path);

// A regular file that we may run.
bool is_executable(const std::string& path);

// The file that execvp(3) would run: a name with a slash is its own path, and is not checked. Empty: not found.
std::string find_program(std::string_view name, std::string_view search_path);

}  // namespace peregrine
