// Bundle: a recording's binaries, and perhaps the recording itself, in one tar archive, opened without unpacking it by
// hand.
//
//   perf.data                         the recording (with `archive -o` and --all; a directory's files below it)
//   .build-id/<xx>/<rest>             a link into the folders below, as in a build-id cache
//   usr/bin/true/<id>/elf, …/debug    files by build-id; [kernel.kallsyms]/<id>/kallsyms, [vdso]/<id>/vdso
//   perf.symbols.tar.bz2              instead of the files: an archive inside (perf archive --all)
//
// Opening takes out what the names above allow, into a private temporary folder that goes with the object, and drops
// each file whose build-id is not the one it is kept by; UnpackBudget says how much that may be. Names from the archive
// never become paths: only the 40 digits of an id and one of four words do.
#pragma once
#include <string>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/bundle/tar_reader.h"
#include "pipeline/bundle/unpack_budget.h"
#include "symbol/lookup/build_id_cache.h"

namespace peregrine {

class Bundle {
 public:
  // `temporary`: the folder that the private one is made in. `archive` is what was opened, and judged, under `name`.
  static Result<Bundle> open(Fd archive, const std::string& name, const std::string& temporary,
                             const UnpackLimits& limits = {});
  // Laid out like a build-id cache (symbol/lookup/build_id_cache.h).
  const std::string& folder() const { return folder_.path(); }
  // The recording inside; empty when the archive has none.
  const std::string& recording() const { return recording_; }
  // The names are those that the archive has: "/usr/bin/true", "[vdso]".
  const std::vector<BuildIdCache::Entry>& files() const { return files_; }
  std::string path_of(const BuildIdCache::Entry& file) const;
  const std::vector<std::string>& problems() const { return problems_; }
  // Files of the archive, and of the one inside, that were not kept because of their name or their build-id.
  struct Refusals {
    std::size_t members = 0, refused = 0;
    std::string first;  // of those refused: its name and the reason
  };
  const Refusals& refusals() const { return refusals_; }
  u64 bytes() const { return bytes_; }  // that the archive, and the one inside, unpacked to
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
  Refusals refusals_;
};

// Puts the files into the cache, where nothing of their ids is. How many they were.
Result<std::size_t> add_to_cache(const Bundle& bundle, const BuildIdCache& cache);

// The archive that belongs to a recording and lies beside it: perf.data.tar.bz2, as perf archive names it, or packed
// otherwise. Empty: none.
std::string archive_beside(const std::string& recording);

}  // namespace peregrine
