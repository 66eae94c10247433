// UnpackBudget: how much an archive may unpack to, so that a small file cannot fill a disk, or, on tmpfs, the memory.
//
//   bytes      at most 64 times the packed size; 64 MB are always allowed
//   space      what the file system can hold beyond a reserve, and on tmpfs what memory can
//   members    at most 65,536, of which 16,384 are files that are kept: each costs a folder
//
// One budget serves an archive and the archive inside it.
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
  u64 free_space = ~u64{0};  // at most so much of what the file system has; for tests
};

class UnpackBudget {
 public:
  // `folder`: where the files are put. `name` of the archive, for errors.
  UnpackBudget(std::string name, u64 packed_size, std::string folder, const UnpackLimits& limits);

  u64 bytes_used() const { return used_; }
  u64 bytes_left() const { return most_ - std::min(used_, most_); }
  // Unsupported, with a hint, when the archive has unpacked to more than it may.
  Result<> add_bytes(u64 size);
  // Malformed when there are too many.
  Result<> add_member();
  Result<> add_file();
  // System, with a hint, when that much more does not fit.
  Result<> check_space(u64 wanted) const;

 private:
  std::string name_, folder_;
  UnpackLimits limits_;
  u64 most_, used_ = 0, members_ = 0, files_ = 0;
};

}  // namespace peregrine
