// BuildIdCache: files of recorded dsos by build-id, in linux-perf's layout, so that both programs share the cache.
//
//   CACHE/usr/bin/true/<id>/elf            a copy of the file, made when its build-id was read
//   CACHE/usr/bin/true/<id>/debug          its debug file from /usr/lib/debug/.build-id
//   CACHE/[kernel.kallsyms]/<id>/kallsyms  the kernel's symbols as they were
//   CACHE/[vdso]/<id>/vdso                 the image that processes had mapped
//   CACHE/[kernel.kcore]/<id>/<time>/      kcore, kallsyms, modules: the kernel's code as it ran
//   CACHE/.build-id/<xx>/<rest>            a link to the folder above
//
// Names come from recordings: when writing or removing below the cache, no link is followed and ".." is rejected. Files
// appear atomically, and existing ones are never changed, except links to another user's file. Files and folders are
// private to their owner, since they contain kernel addresses. Const functions are thread safe.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class BuildIdCache {
 public:
  struct Entry {
    BuildId id;
    std::string name;  // "/usr/bin/true", "[kernel.kallsyms]"
    std::string leaf;  // "elf", "kallsyms", "vdso"
  };

  explicit BuildIdCache(std::string folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }

  // What the cache has for that id: "elf", "kallsyms" or "vdso"; empty if nothing.
  std::string_view find(const BuildId& id) const;
  // All valid entries by id: a file's build-id must match the id it is stored under.
  std::vector<Entry> entries() const;
  // The ids stored under a name.
  std::vector<BuildId> ids_of(std::string_view name) const;

  // Copies `source`, which must have the build-id `id`, and its debug file: `debug`, or the installed one if that is
  // empty. Does nothing if the id is already cached.
  Result<> add_file(const BuildId& id, std::string_view name, const std::string& source,
                    const std::string& debug = {}) const;
  // Stores an image that is not a file: leaf "kallsyms" or "vdso".
  Result<> add_image(const BuildId& id, std::string_view name, std::string_view leaf, Bytes image) const;
  // Returns false if nothing was stored for that id.
  Result<bool> remove(const BuildId& id) const;
  // Evicts the least recently used entries until the rest takes at most `limit` bytes; returns those evicted. Hard
  // links made by linux-perf take no space while the file exists elsewhere.
  Result<std::vector<Entry>> shrink_to(u64 limit) const;

  // Folders with copies of that kernel, newest first; and the path for a new one, with a last component that does not
  // exist yet.
  std::vector<std::string> kernel_copies(const BuildId& id, ReadFailures* failures = nullptr) const;
  Result<std::string> new_kernel_copy(const BuildId& id, std::string_view stamp) const;

 private:
  Result<Fd> open_folder(std::string_view below, bool make) const;
  Result<> link_to(const BuildId& id, std::string_view below) const;
  std::string link_target(const BuildId& id) const;
  bool is_ours(const BuildId& id) const;
  struct Holding {
    Entry entry;
    u64 bytes = 0;
    i64 last_used = 0;
  };
  Holding holding_of(Entry entry) const;

  std::string folder_;
};

// The path /usr/lib/debug/.build-id/xx/yyyy….debug of that id.
std::string installed_debug_file(const BuildId& id);

}  // namespace peregrine
