// KallsymsCache: caches parsed kallsyms in a file, so that later runs need not read /proc/kallsyms.
//
// The caller names the file (below $XDG_CACHE_HOME/peregrine) and supplies the key. A file with another key or version,
// or a wrong checksum, counts as absent. The file is ours, but others may be able to write it, so everything in it is
// checked.
#pragma once
#include <string>
#include <string_view>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/kernel/kallsyms.h"

namespace peregrine {

struct KallsymsKey {
  BuildId kernel;   // from /sys/kernel/notes
  u64 text = 0;     // address of _text, which KASLR changes at every boot
  u64 modules = 0;  // hash_modules() of /proc/modules
  friend bool operator==(const KallsymsKey&, const KallsymsKey&) = default;
};
// A hash of the names, sizes and addresses in /proc/modules; ignores reference counts and users.
u64 hash_modules(std::string_view proc_modules_text);

class KallsymsCache {
 public:
  // NotFound if there is no valid file with that key.
  static Result<Kallsyms> load(const std::string& path, const KallsymsKey& key);
  // Writes a temporary file next to `path`, then renames it. The folder must exist.
  static Result<> save(const std::string& path, const KallsymsKey& key, const Kallsyms& kallsyms);
  static std::string encode(const KallsymsKey& key, const Kallsyms& kallsyms);
  static Result<Kallsyms> decode(std::string_view file, const KallsymsKey& key);
};

}  // namespace peregrine
