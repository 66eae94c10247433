// Finds the program that a command names, with execvp(3)'s search in $PATH.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace peregrine {

// Returns the folders of `search_path` ($PATH), in order. An empty entry means the current folder and becomes ".".
std::vector<std::string> search_folders(std::string_view search_path);

// Whether the path is a regular file that we may run.
bool is_executable(const std::string& path);

// Returns the file that execvp(3) would run, or an empty string. A name with a slash is returned unchecked.
std::string find_program(std::string_view name, std::string_view search_path);

}  // namespace peregrine
