// Build-ids of the dsos that were hit, and their place in the build-id cache (~/.debug, in linux-perf's layout).
//
//   CACHE/usr/bin/true/<id>/elf            the file itself: a hard link, or a copy on another file system
//   CACHE/[kernel.kallsyms]/<id>/kallsyms  the kernel's symbols as they were
//   CACHE/[vdso]/<id>/vdso                 the image this process has mapped
//   CACHE/.build-id/<xx>/<rest>            a link to the folder above
#pragma once
#include <string>
#include <vector>

#include "data/feature/features.h"
#include "pipeline/recording/hit_dsos.h"
#include "sys/root.h"

namespace peregrine {

// Reads the ids (files, running kernel, vdso). A dso without one, or whose file is gone, is left out.
std::vector<data::BuildIdEntry> read_build_ids(const Root& root, const std::vector<HitDso>& dsos);

// Adds what is not there yet; nothing is ever replaced. Returns how many entries could not be added.
std::size_t add_to_build_id_cache(const Root& root, const std::string& cache,
                                  const std::vector<data::BuildIdEntry>& ids);

}  // namespace peregrine
