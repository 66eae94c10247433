// Bundle: opens a tar archive of a recording's binaries, and perhaps of the recording itself.
//
//   perf.data                         the recording (with `archive -o` and --all; a directory's files below it)
//   .build-id/<xx>/<rest>             a link into the folders below, as in a build-id cache
//   usr/bin/true/<id>/elf, …/debug    files by build-id; [kernel.kallsyms]/<id>/kallsyms, [vdso]/<id>/vdso
//   perf.symbols.tar.bz2              instead of the files: an archive inside (perf archive --all)
//
// Opening extracts the members with these names to a private temporary folder, which the destructor removes, and drops
// files with a build-id that does not match their name. UnpackBudget limits the amount. Names from the archive never
// become paths: only the 40 digits of an id and one of four fixed names do.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/bundle/tar_reader.h"
#include "pipeline/bundle/unpack_budget.h"
#include "symbol/lookup/build_id_cache.h"

namespace peregrine {

class Bundle {
 public:
  // `temporary`: the parent of the private folder. `archive` was opened as `name` and found to be an archive.
  static Result<Bundle> open(Fd archive, const std::string& name, const std::string& temporary,
                             const UnpackLimits& limits = {});
  // Laid out like a build-id cache (symbol/lookup/build_id_cache.h).
  const std::string& folder() const { return folder_.path(); }
  // Path of the extracted recording; empty if the archive has none.
  const std::string& recording() const { return recording_; }
  // With the names from the archive: "/usr/bin/true", "[vdso]".
  const std::vector<BuildIdCache::Entry>& files() const { return files_; }
  std::string path_of(const BuildIdCache::Entry& file) const;
  const std::vector<std::string>& problems() const { return problems_; }
  // The archive ends early or is damaged: everything before that was extracted.
  bool is_cut() const { return cut_; }
  // The archive ends within the recording, which is incomplete.
  bool recording_is_cut() const { return recording_cut_; }
  // Counts members of the archive and of the one inside, and those dropped for their name or build-id.
  struct Refusals {
    std::size_t members = 0, refused = 0;
    std::string first;  // name of the first one refused, and the reason
  };
  const Refusals& refusals() const { return refusals_; }
  u64 bytes() const { return bytes_; }  // unpacked size, including the archive inside
  bool has(const BuildId& id) const;

 private:
  Bundle() = default;
  Result<> take(Fd archive, const std::string& name, bool inside, UnpackBudget& budget);
  std::string target_of(const TarMember& member, bool inside, std::string& inner);
  bool is_good(const BuildIdCache::Entry& file);
  void refuse(const std::string& file_and_reason);

  PrivateFolder folder_;
  std::string recording_;
  std::vector<BuildIdCache::Entry> files_;
  u64 bytes_ = 0;
  std::vector<std::string> problems_;
  bool cut_ = false, recording_cut_ = false;
  Refusals refusals_;
};

// Adds the files to the cache unless it already has their ids. Returns how many were added.
Result<std::size_t> add_to_cache(const Bundle& bundle, const BuildIdCache& cache);

// Returns the archive next to a recording: perf.data.tar.bz2, the name that perf archive uses, or one with a different
// compression. Empty if there is no archive.
std::string archive_beside(const std::string& recording);

}  // namespace peregrine
