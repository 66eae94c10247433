// CodeImage: the file that holds a dso's instructions, and where in it the dso's addresses lie.
//
// A user dso's file is the one that DsoTable::open_code() finds; the kernel's is a vmlinux or a kcore: that of the
// recording, or the running kernel's if it is the same. Errors say what to install, or to name. Const after opening.
#pragma once
#include <optional>

#include "machine/dso.h"

namespace peregrine {

class CodeImage {
 public:
  static Result<CodeImage> open(const DsoTable& dsos, DsoId dso);

  const ElfFile& file() const { return file_; }
  // A dso's addresses are file offsets for files that programs map, and virtual ones for kernel images.
  std::optional<u64> virtual_address(u64 dso_address) const;
  std::optional<u64> dso_address(u64 virtual_address) const;
  // Where in the file the bytes of a virtual address are.
  std::optional<u64> file_offset(u64 virtual_address) const;

 private:
  CodeImage(ElfFile file, bool by_offset) : file_(std::move(file)), by_offset_(by_offset) {}

  ElfFile file_;
  bool by_offset_;
};

}  // namespace peregrine
