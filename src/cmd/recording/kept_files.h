// kept_files(): the folder and the size limit of the cache for source lines and unwind tables.
//
// perfconfig's lines.cache-size is a quantity ("256M") or 0; the folder is Config::cache_directory().
#pragma once
#include "cli/frame/config.h"
#include "machine/dso/kept_files.h"

namespace peregrine::cmd {

KeptFiles kept_files(const Config& config);

}  // namespace peregrine::cmd
