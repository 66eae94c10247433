// UnpackBudget: limits what an archive may unpack to, so that a small file cannot fill the disk or, on tmpfs, memory.
//
//   bytes      at most 64 times the packed size; 64 MB are always allowed
//   space      free space of the file system minus a reserve; on tmpfs also free memory minus a reserve
//   members    at most 65,536; at most 16,384 files are kept, since each needs a folder
//
// One budget serves a file and whatever is packed inside it: an archive in an archive, a trace.dat in a gzip file.
#pragma once
#include <algorithm>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct UnpackLimits {
  u64 ratio = 64;
  u64 always = u64{64} << 20;  // bytes
  u64 members = u64{1} << 16;
  u64 files = u64{1} << 14;
  u64 free_space = ~u64{0};  // pretend that the file system has no more; for tests
};

class UnpackBudget {
 public:
  // `folder`: the target of the files. `name`: the archive, for errors.
  UnpackBudget(std::string name, u64 packed_size, std::string folder, const UnpackLimits& limits = {});

  u64 bytes_used() const { return used_; }
  u64 bytes_left() const { return most_ - std::min(used_, most_); }
  // Errors: Unsupported, with a hint, if the archive exceeds its limit.
  Result<> add_bytes(u64 size);
  // Errors: Malformed if there are too many.
  Result<> add_member();
  Result<> add_file();
  // Errors: System, with a hint, if `wanted` more bytes do not fit.
  Result<> check_space(u64 wanted) const;

 private:
  std::string name_, folder_;
  UnpackLimits limits_;
  u64 most_, used_ = 0, members_ = 0, files_ = 0;
};

}  // namespace peregrine
