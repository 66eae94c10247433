#include "base/result.h"

#include <cstring>

namespace peregrine {

ErrorKind kind_of_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
      return ErrorKind::NotFound;
    case EACCES:
    case EPERM:
      return ErrorKind::Denied;
    case ENOSYS:
    case EOPNOTSUPP:
      return ErrorKind::Unsupported;
    default:
      return ErrorKind::System;
  }
}

std::unexpected<Error> fail_errno(std::string_view what, int error_number) {
  Error error{kind_of_errno(error_number), fmt::format("{}: {}", what, std::strerror(error_number))};
  error.system_errno = error_number;
  return std::unexpected(std::move(error));
}

}  // namespace peregrine
