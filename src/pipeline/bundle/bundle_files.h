// What goes into an archive: the files of the dsos that a recording's samples hit, found by build-id.
#pragma once
#include <string>
#include <vector>

#include "data/reader/reader.h"
#include "pipeline/bundle/tar_writer.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {

struct BundledFile {
  std::string folder;  // in the archive: "usr/bin/true/<id>"
  std::string leaf;    // elf, debug, kallsyms or vdso
  std::string source;  // where it is now; empty: `image` has its bytes
  BuildId id;
  std::vector<std::byte> image = {};  // of what the kernel shows: its symbols, the vdso
};

struct BundleContents {
  std::vector<BundledFile> files;
  std::vector<data::BuildIdEntry> missing;  // hit, and their files could not be found
};

enum class Gather {
  Kept,        // what the build-id cache has
  Everywhere,  // also what lies where `search` looks, debug files included, and what the running kernel shows
};
// Reads the whole recording.
Result<BundleContents> gather_bundle(data::Reader& reader, const BuildIdCache& cache, const DebugSearch& search,
                                     Gather gather);

// The files and their .build-id links.
Result<> add_bundle(TarWriter& tar, const BundleContents& contents);

// The recording as "perf.data": one file, or all those of a directory.
Result<> add_recording(TarWriter& tar, const std::string& path);

}  // namespace peregrine
