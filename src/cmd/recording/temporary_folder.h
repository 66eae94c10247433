// temporary_folder: the parent folder of files that are removed when the process ends.
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

namespace peregrine::cmd {

// TMPDIR, else /tmp.
inline std::string temporary_folder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

}  // namespace peregrine::cmd
