#include "base/file/make_folders.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

namespace peregrine {

Result<> make_folders(const std::string& path, unsigned mode) {
  struct stat status{};
  if (path.empty() || (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) return {};
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) return fail_errno(part);
    if (end == std::string::npos) return {};
  }
}

}  // namespace peregrine
