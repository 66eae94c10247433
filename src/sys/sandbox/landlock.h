// Landlock: limits the files that a process, its later threads and its children may access. Linux 5.13.
//
//   Landlock rules;                          // has no effect if the kernel has no Landlock
//   rules.allow("/usr", Landlock::kRead);    // and everything below it
//   rules.enforce();
//
// Rules only add permissions; everything else is denied. They take effect at enforce(), irrevocably.
#pragma once
#include <string>

#include "base/fd.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// Returns the kernel's Landlock version; 0: Landlock is absent or disabled.
int landlock_version();

class Landlock {
 public:
  // Rights over files, combined with |.
  static constexpr u64 kExecute = 1u << 0, kWrite = 1u << 1 | 1u << 14 /* truncate */, kReadFile = 1u << 2,
                       kReadFolder = 1u << 3, kRead = kReadFile | kReadFolder;
  // All changes below a folder: create, write, rename, remove.
  static constexpr u64 kChange = kWrite | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 8;
  static constexpr u64 kLink = 1u << 12;  // create symbolic links

  Landlock() : Landlock(landlock_version()) {}
  explicit Landlock(int version);

  bool active() const { return static_cast<bool>(rules_); }
  bool scopes_signals() const { return active() && version_ >= 6; }
  // Skips a path that does not exist. A file only gets rights that apply to files. `failures` records paths that the
  // machine failed to open; these stay forbidden.
  void allow(const std::string& path, u64 rights, ReadFailures* failures = nullptr);
  Result<> enforce();

 private:
  int version_ = 0;
  u64 handled_ = 0;
  Fd rules_;
};

}  // namespace peregrine
