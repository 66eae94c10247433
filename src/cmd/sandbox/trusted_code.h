// Code that was found rather than named: dlfilters and scripts in the working folder or below PERF_EXEC_PATH.
//
// Who runs us as root in a folder of somebody else must not run that user's code. What the user names by its path is
// run as it is, as any shell would do.
#pragma once
#include <string>

#include "base/result.h"

namespace peregrine::cmd {

// The path to use, free of links: nobody but the user and root can put another file there, because they own the file
// and every folder above it, and nobody else, not even their group, may write in those (but for folders like /tmp,
// where files are their owners' own). Denied, with what is wrong, otherwise.
Result<std::string> trusted_code(const std::string& path);

}  // namespace peregrine::cmd
