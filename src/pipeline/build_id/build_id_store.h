// Reads dsos' build-ids on this system and stores their files in the build-id cache.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "data/feature/features.h"
#include "pipeline/build_id/hit_dsos.h"
#include "sys/root.h"

namespace peregrine {

struct FoundBuildId {
  data::BuildIdEntry entry;
  std::string file;  // where its contents are now; empty for the kernel, modules and the vdso
};

// Reads the ids (files, running kernel, vdso). Omits dsos without an id or with a missing file; also those with a path
// that now leads to a different inode than the mapped one, unless a living process shows it. `failures`: collects
// unreadable files.
std::vector<FoundBuildId> read_build_ids(const Root& root, const std::vector<HitDso>& dsos,
                                         ReadFailures* failures = nullptr);

// Downloads debug information for a build-id if it is not installed, for --debuginfod. Returns its path; empty: not
// available.
using FetchDebug = std::function<Result<std::string>(const BuildId&)>;

// Adds missing entries to the folder `cache` (symbol/lookup/build_id_cache.h); "" for none. Returns the number of
// entries that could not be added.
std::size_t add_to_build_id_cache(const Root& root, const std::string& cache, const std::vector<FoundBuildId>& ids,
                                  const FetchDebug& fetch = {});

}  // namespace peregrine
