// The build-ids of dsos, read where this system has them, and their files put into the build-id cache.
#pragma once
#include <string>
#include <vector>

#include "data/feature/features.h"
#include "pipeline/build_id/hit_dsos.h"
#include "sys/root.h"

namespace peregrine {

// Reads the ids (files, running kernel, vdso). A dso without one, or whose file is gone, is left out.
std::vector<data::BuildIdEntry> read_build_ids(const Root& root, const std::vector<HitDso>& dsos);

// Adds what is not there yet to the folder `cache` (symbol/build_id_cache.h); "" is none. Returns how many entries
// could not be added.
std::size_t add_to_build_id_cache(const Root& root, const std::string& cache,
                                  const std::vector<data::BuildIdEntry>& ids);

}  // namespace peregrine
