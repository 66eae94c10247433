// ZipFile: the members of a zip archive (an APK, a JAR), for paths such as /data/app/base.apk!/lib/x86_64/libgame.so.
//
// Reads the central directory at the end of the file, with every bound checked. Supports stored and deflated members;
// other methods, encryption and zip64 are Unsupported. The file is untrusted.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct ZipMember {
  std::string name;
  u16 method = 0;  // 0 stored, 8 deflated
  u16 flags = 0;
  u64 packed_size = 0, size = 0;
  u64 header_offset = 0;
};

class ZipFile {
 public:
  static Result<ZipFile> open(const std::string& path);

  const std::vector<ZipMember>& members() const { return members_; }
  const ZipMember* find(std::string_view name) const;
  Result<std::vector<std::byte>> read(const ZipMember& member) const;

 private:
  ZipFile(Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}
  Result<std::vector<std::byte>> bytes(u64 offset, u64 size) const;
  Result<> read_directory(u64 offset, u64 size, u64 count);

  Fd fd_;
  std::string name_;
  u64 file_size_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace peregrine
