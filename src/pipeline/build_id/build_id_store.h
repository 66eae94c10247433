// The build-ids of dsos, read where this system has them, and their files put into the build-id cache.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/file/read_failures.h"
#include "data/feature/features.h"
#include "pipeline/build_id/hit_dsos.h"
#include "sys/root.h"

namespace peregrine {

struct FoundBuildId {
  data::BuildIdEntry entry;
  std::string file;  // where its bytes are now; empty for the kernel, modules and the vdso
};

// Reads the ids (files, running kernel, vdso). A dso without one, or whose file is gone, is left out: so is one whose
// path leads to another inode than the mapped one and that no living process shows. `failures`: records files that the
// machine fails to read.
std::vector<FoundBuildId> read_build_ids(const Root& root, const std::vector<HitDso>& dsos,
                                         ReadFailures* failures = nullptr);

// The path of debug information for an id that has none installed; for --debuginfod. Empty: nobody to ask.
using FetchDebug = std::function<Result<std::string>(const BuildId&)>;

// Adds what is not there yet to the folder `cache` (symbol/lookup/build_id_cache.h); "" is none. Returns how many
// entries could not be added.
std::size_t add_to_build_id_cache(const Root& root, const std::string& cache, const std::vector<FoundBuildId>& ids,
                                  const FetchDebug& fetch = {});

}  // namespace peregrine
