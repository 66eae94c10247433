// CodeImage: the file that holds a dso's instructions, and where in it the dso's addresses lie.
//
// A user dso's file is the one that DsoTable::open_code() finds; the kernel's is a vmlinux or a kcore: that of the
// recording, or the running kernel's if it is the same. Errors say what to install, or to name. Const after opening.
#pragma once
#include <optional>

#include "machine/dso/dso.h"

namespace peregrine {

class CodeImage {
 public:
  static Result<CodeImage> open(const DsoTable& dsos, DsoId dso);

  const ElfFile& file() const { return file_; }
  // A dso's addresses are file offsets for files that programs map; those of the kernel and its modules, which the
  // file may hold at other places than where they ran.
  std::optional<u64> virtual_address(u64 dso_address) const;
  std::optional<u64> dso_address(u64 virtual_address) const;
  // Where in the file the bytes of a virtual address are.
  std::optional<u64> file_offset(u64 virtual_address) const;

 private:
  CodeImage(ElfFile file, bool by_offset, u64 bias) : file_(std::move(file)), by_offset_(by_offset), bias_(bias) {}

  ElfFile file_;
  bool by_offset_;
  u64 bias_;  // what to add to an address of the kernel or a module
};

}  // namespace peregrine
