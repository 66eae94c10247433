#include "sys/process/program_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace peregrine {

std::vector<std::string> search_folders(std::string_view search_path) {
  std::vector<std::string> folders;
  for (;;) {
    const std::string_view folder = search_path.substr(0, search_path.find(':'));
    folders.emplace_back(folder.empty() ? "." : folder);
    if (folder.size() == search_path.size()) return folders;
    search_path.remove_prefix(folder.size() + 1);
  }
}

bool is_executable(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program(std::string_view name, std::string_view search_path) {
  if (name.empty() || name.contains('/')) return std::string(name);
  for (std::string& folder : search_folders(search_path)) {
    std::string path = std::move(folder.append("/").append(name));
    if (is_executable(path)) return path;
  }
  return {};
}

}  // namespace peregrine
