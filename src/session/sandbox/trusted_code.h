// trusted_code(): whether code that was found, rather than named by the user, may run: dlfilters and scripts in the
// working folder or below PERF_EXEC_PATH.
//
// If root starts us in another user's folder, that user's code must not run. Code that the user names by its path runs
// without this check, as in any shell.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine {

// Returns the path to use, with symbolic links resolved. Only the user and root may be able to replace the file:
// they own it and every folder above it, and nobody else, not even the group, may write to these. Sticky folders
// such as /tmp are allowed, since only owners can replace files there. Errors: NotFound; Denied, with the
// reason.
Result<std::string> trusted_code(const std::string& path);

}  // namespace peregrine
