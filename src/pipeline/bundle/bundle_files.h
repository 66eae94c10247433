// The contents of an archive: the files of the dsos that a recording's samples hit, found by build-id.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "pipeline/bundle/tar_writer.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {

struct BundledFile {
  std::string folder;  // in the archive: "usr/bin/true/<id>"
  std::string leaf;    // elf, debug, kallsyms or vdso
  std::string source;  // path to copy from; empty if `image` has the bytes
  BuildId id;
  std::vector<std::byte> image = {};  // for the kernel's symbols and the vdso
};

struct BundleContents {
  std::vector<BundledFile> files;
  std::vector<data::BuildIdEntry> missing;  // hit, but no file was found
};

enum class Gather {
  Kept,        // only from the build-id cache
  Everywhere,  // also from the places of `search` (debug files too) and from the running kernel
};
// Reads the whole recording.
Result<BundleContents> gather_bundle(data::Reader& reader, const BuildIdCache& cache, const DebugSearch& search,
                                     Gather gather);

// Adds the files and their .build-id links.
Result<> add_bundle(TarWriter& tar, const BundleContents& contents);

// Adds the recording as "perf.data": one file, or all files of a directory.
Result<> add_recording(TarWriter& tar, const std::string& path);

}  // namespace peregrine
