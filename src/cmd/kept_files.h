// kept_files(): where, and how much, is kept of what was learnt of dsos.
//
// perfconfig's lines.cache-size is a quantity ("256M") or 0; the folder is Config::cache_directory().
#pragma once
#include "cmd/config.h"
#include "machine/kept_files.h"

namespace peregrine::cmd {

KeptFiles kept_files(const Config& config);

}  // namespace peregrine::cmd
