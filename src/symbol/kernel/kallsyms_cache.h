// KallsymsCache: parsed kallsyms kept in a file, so that a run need not ask the kernel to print them again.
//
// The caller names the file (below $XDG_CACHE_HOME/peregrine) and gives the key; a file of another key, version or
// checksum is as good as absent. The file is ours but lies in a writable place, so everything in it is checked.
#pragma once
#include <string>
#include <string_view>

#include "symbol/kernel/kallsyms.h"

namespace peregrine {

struct KallsymsKey {
  BuildId kernel;   // from /sys/kernel/notes
  u64 text = 0;     // _text: moves with every boot under KASLR
  u64 modules = 0;  // hash_modules() of /proc/modules
  friend bool operator==(const KallsymsKey&, const KallsymsKey&) = default;
};
// A hash of names, sizes and addresses in /proc/modules text; reference counts and users do not matter.
u64 hash_modules(std::string_view proc_modules_text);

class KallsymsCache {
 public:
  // NotFound when there is no valid file of that key.
  static Result<Kallsyms> load(const std::string& path, const KallsymsKey& key);
  // Writes a temporary file beside `path` and renames it. The folder must exist.
  static Result<> save(const std::string& path, const KallsymsKey& key, const Kallsyms& kallsyms);
  static std::string encode(const KallsymsKey& key, const Kallsyms& kallsyms);
  static Result<Kallsyms> decode(std::string_view file, const KallsymsKey& key);
};

}  // namespace peregrine
