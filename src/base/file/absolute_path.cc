#include "base/file/absolute_path.h"

#include <filesystem>
#include <system_error>

namespace peregrine {

std::string absolute_path(const std::string& path) {
  std::error_code gone;
  const std::filesystem::path whole = std::filesystem::absolute(path, gone);
  return gone ? path : whole.lexically_normal().string();
}

}  // namespace peregrine
