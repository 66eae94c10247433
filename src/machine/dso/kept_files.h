// KeptFiles: what earlier runs learned about a dso's file, in our own cache folder by build-id, one file per kind.
//
//   BUILD-ID.lines    answers about source lines and inlined functions (SourceCache)
//   BUILD-ID.frames   compiled call frame information (CfiTables)
//
// Others may write to the folder, so readers must check everything in a file and treat an invalid one as absent. A
// quota limits the total size; the least recently used files are removed first.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class KeptKind : u8 { Lines, Frames };
// Returns "lines" or "frames", which is also the suffix of the file names.
std::string_view kept_kind_name(KeptKind kind);

class KeptFiles {
 public:
  KeptFiles() = default;
  // Without a folder, or with a quota of 0, nothing is found or kept.
  KeptFiles(std::string folder, u64 quota) : folder_(std::move(folder)), quota_(folder_.empty() ? 0 : quota) {}

  explicit operator bool() const { return quota_ != 0; }

  // Opening a file marks it as used.
  struct Opened {
    Fd fd;
    u64 size = 0;
  };
  std::optional<Opened> open(KeptKind kind, const BuildId& id) const;
  // Also removes the least recently used files until the rest fits. Does not save a file larger than the quota.
  Result<> save(KeptKind kind, const BuildId& id, std::string_view bytes) const;

  struct File {
    std::string path;
    KeptKind kind = KeptKind::Lines;
    BuildId id;
    u64 size = 0;
    i64 used = 0;  // seconds since 1970
  };
  // Sorted, least recently used first.
  std::vector<File> files() const;

 private:
  std::string path_of(KeptKind kind, const BuildId& id) const;

  std::string folder_;
  u64 quota_ = 0;
};

}  // namespace peregrine
