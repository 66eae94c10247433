#include "base/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/fd.h"

namespace peregrine {

Result<> replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  const auto file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (!file) return std::unexpected(file.error());
  auto written = write_all(file->get(), bytes.data(), bytes.size());
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = fail_errno(path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace peregrine
