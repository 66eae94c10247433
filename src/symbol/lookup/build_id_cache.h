// BuildIdCache: the files of recorded dsos, kept by build-id, in linux-perf's layout, so that either program finds what
// the other kept.
//
//   CACHE/usr/bin/true/<id>/elf            a copy of the file, made when its build-id was read
//   CACHE/usr/bin/true/<id>/debug          its debug file from /usr/lib/debug/.build-id
//   CACHE/[kernel.kallsyms]/<id>/kallsyms  the kernel's symbols as they were
//   CACHE/[vdso]/<id>/vdso                 the image that processes had mapped
//   CACHE/[kernel.kcore]/<id>/<time>/      kcore, kallsyms, modules: the kernel's code as it ran
//   CACHE/.build-id/<xx>/<rest>            a link to the folder above
//
// Names come from recordings: below the cache no link is followed and no ".." accepted when something is written or
// removed, files appear whole, and nothing that is there is changed, but for a link to a file that another user owns.
// Files and folders are for their owner only: they hold addresses of the kernel. Const functions are thread safe.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/file/read_failures.h"
#include "base/result.h"

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

  // What of that id is there: "elf", "kallsyms" or "vdso"; empty for nothing.
  std::string_view find(const BuildId& id) const;
  // Everything that is whole, ascending by id: a file must still have the build-id it is kept by.
  std::vector<Entry> entries() const;
  // The ids kept under a name.
  std::vector<BuildId> ids_of(std::string_view name) const;

  // Keeps a copy of `source`, whose build-id must be `id`, and of its debug file: `debug`, or the installed one when
  // that is empty. Nothing happens when it is there.
  Result<> add_file(const BuildId& id, std::string_view name, const std::string& source,
                    const std::string& debug = {}) const;
  // Keeps an image that is no file: leaf "kallsyms" or "vdso".
  Result<> add_image(const BuildId& id, std::string_view name, std::string_view leaf, Bytes image) const;
  // False when nothing of that id was there.
  Result<bool> remove(const BuildId& id) const;
  // Removes what was not used for longest until the rest takes at most `limit` bytes, and tells what. A hard link of
  // linux-perf's takes nothing as long as the file is elsewhere too.
  Result<std::vector<Entry>> shrink_to(u64 limit) const;

  // Folders of that kernel's copies, newest first; and the path for a new one, whose last part is yet to be made.
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

// The id in /usr/lib/debug/.build-id/xx/yyyy….debug.
std::string installed_debug_file(const BuildId& id);

}  // namespace peregrine
